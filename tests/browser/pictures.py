"""Makes the pictures of report pages in docs/images, from the table that `arss demo` chooses from.

python3 tests/browser/pictures.py target/release/arss
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from driver import Browser

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
TABLE = Path(__file__).resolve().parents[2] / "crates" / "arss-cli" / "data" / "forest.csv"
#: Name, page, width, height, phone, colours.
PICTURES = [
    ("report.png", "page/report.html", 1200, 1500, False, "light"),
    ("report-phone.png", "page/report.html", 390, 844, True, "dark"),
    ("report-compare.png", "compare.html", 1200, 900, False, "light"),
]


def main():
    arss = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        subprocess.run([arss, "demo", "--no-config", "page"], cwd=folder, check=True, capture_output=True)
        words = ["compare", TABLE, "-k", "12", "--label", "cover_type", "--no-config", "--report", "compare.html"]
        subprocess.run([arss, *words], cwd=folder, check=True, capture_output=True)
        with Browser(Path(folder) / "profile") as browser:
            for name, page, width, height, phone, colours in PICTURES:
                browser.size(width, height, phone)
                browser.scheme(colours)
                browser.open(Path(folder) / page)
                browser.wait("document.documentElement.dataset.drawn")
                if name == "report.png":
                    browser.script("document.querySelector('.badge').click()")
                if name == "report-compare.png":
                    browser.script("document.getElementById('comparison').scrollIntoView()")
                browser.picture(IMAGES / name)


if __name__ == "__main__":
    main()
