"""Milliseconds a frame while a page of pictures scrolls: `python3 scroll.py PAGE.html`; needs chromedriver."""

import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "browser"))
from driver import Browser

FRAMES = 300
SCROLL = """
    const times = [], end = document.documentElement.scrollHeight - innerHeight;
    let last = performance.now(), frame = 0;
    function step(now) {
      times.push(now - last);
      last = now;
      scrollTo(0, (end * (frame++ % 150)) / 150);
      if (frame < arguments_frames) requestAnimationFrame(step); else done(times);
    }
    requestAnimationFrame(step);
""".replace("arguments_frames", str(FRAMES))


def main() -> None:
    """Scrolls twice from the top to the end."""
    page = Path(sys.argv[1]).resolve()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Browser(Path(folder) / "profile") as browser,
    ):
        browser.size(1400, 900)
        browser.open(page)
        browser.wait("document.readyState === 'complete'")
        loaded = browser.script("return performance.getEntriesByType('navigation')[0].loadEventEnd")
        # The first frames are those of loading.
        times = sorted(browser.answer(SCROLL)[5:])
    line = {
        "page": page.name,
        "MB": round(page.stat().st_size / 1e6, 2),
        "loaded ms": round(loaded),
        "median ms a frame": round(statistics.median(times), 1),
        "95 % ms": round(times[int(0.95 * len(times))], 1),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
