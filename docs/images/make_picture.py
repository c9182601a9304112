"""A picture of the quick start's report, for the README: `make picture`."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
WIDTH, HEIGHT = 1040, 1180


def main(report: str) -> None:
    """Photograph the top of a page.

    Args:
        report: path of `report.html`.
    """
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        size = {"width": WIDTH, "height": HEIGHT}
        page = opened.new_page(viewport=size, color_scheme="light")
        page.goto(Path(report).resolve().as_uri())
        page.screenshot(path=HERE / "report.png")
        opened.close()


if __name__ == "__main__":
    main(sys.argv[1])
