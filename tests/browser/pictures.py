"""Makes the pictures of report pages in docs/images, from the page that `arss demo` writes.

python3 tests/browser/pictures.py target/release/arss
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from driver import Browser

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
#: Name, width, height, phone, colours.
PICTURES = [("report.png", 1100, 1340, False, "light"), ("report-phone.png", 390, 844, True, "dark")]


def main():
    arss = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        subprocess.run([arss, "demo", "--no-config", "page"], cwd=folder, check=True, capture_output=True)
        with Browser(Path(folder) / "profile") as browser:
            for name, width, height, phone, colours in PICTURES:
                browser.size(width, height, phone)
                browser.scheme(colours)
                browser.open(Path(folder) / "page" / "report.html")
                browser.wait("document.documentElement.dataset.drawn")
                browser.picture(IMAGES / name)


if __name__ == "__main__":
    main()
