"""A browser driven through the WebDriver protocol, with nothing but the standard library."""

import base64
import json
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
]


class Browser:
    """One window; use it as a context manager."""

    def __init__(self, profile):
        self.process = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.base = f"http://127.0.0.1:{self._port()}"
        self.session = ""
        options = {"binary": "/usr/bin/chromium", "args": [*FLAGS, f"--user-data-dir={profile}"]}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        try:
            made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        except BaseException:
            self.process.kill()
            raise
        self.session = f"/session/{made['sessionId']}"

    def _port(self):
        for line in self.process.stdout:
            if "started successfully on port" in line:
                return int(line.rsplit("port", 1)[1].strip(" .\n"))
        raise RuntimeError("chromedriver did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(20)

    def call(self, verb, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + self.session + path, data, method=verb)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{verb} {path}: {error.read().decode()[:500]}") from None

    def command(self, name, **parameters):
        """A command of the developer tools."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, path):
        self.call("POST", "/url", {"url": path.as_uri()})

    def script(self, text, *values):
        return self.call("POST", "/execute/sync", {"script": text, "args": list(values)})

    def wait(self, text, seconds=60):
        """The value of an expression once it is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.script(f"return {text}")
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError(f"not within {seconds} s: {text}")

    def size(self, width, height, phone=False):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )

    def scheme(self, name):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def move(self, x, y):
        moves = [{"type": "pointerMove", "duration": 0, "x": round(x) + d, "y": round(y)} for d in (4, 0)]
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}
        self.call("POST", "/actions", {"actions": [pointer]})

    def drag(self, *places):
        """Presses at the first place and lets go at the last; a single one is a click."""
        steps = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)} for x, y in places]
        press = [{"type": "pointerDown", "button": 0}]
        actions = [steps[0], *press, *steps[1:], {"type": "pointerUp", "button": 0}]
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self.call("POST", "/actions", {"actions": [pointer]})

    def answer(self, text, *values):
        """What a script answers later: it calls `done`."""
        script = f"const done = arguments[arguments.length - 1]; {text}"
        return self.call("POST", "/execute/async", {"script": script, "args": list(values)})

    def keys(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def requests(self):
        """The addresses asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        sent = [message for message in messages if message["method"] == "Network.requestWillBeSent"]
        return [message["params"]["request"]["url"] for message in sent]

    def picture(self, path, whole=False):
        clip = {}
        if whole:
            size = self.command("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"captureBeyondViewport": True, "clip": {**size, "x": 0, "y": 0, "scale": 1}}
        shot = self.command("Page.captureScreenshot", format="png", **clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self):
        return base64.b64decode(self.call("POST", "/print", {"background": False}))
