"""Save pictures of pages: light and dark, 1280 and 390 wide.

    python -m tests.browser.shoot FOLDER PATH… [--role support] [--address http://localhost:8000]

Without an address it starts a sandbox and a dashboard of its own.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser import chromium
from tests.browser.house import House, running, sign_in

SCHEMES = ("light", "dark")
WIDTHS = (1280, 390)


def main(arguments: list[str]) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("paths", nargs="+", metavar="path")
    parser.add_argument("--role", default="support")
    parser.add_argument("--address", help="of a running dashboard with the demo's people")
    parser.add_argument("--fold", action="store_true", help="only what fits the first screen")
    asked = parser.parse_args(arguments)
    asked.folder.mkdir(parents=True, exist_ok=True)
    with _house(asked.address) as house, sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        for scheme, width in product(SCHEMES, WIDTHS):
            _shoot(browser, house, asked, scheme, width)
        browser.close()


@contextmanager
def _house(address: str | None) -> Iterator[House]:
    if address:
        yield House(address.rstrip("/"), "")
        return
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as house:
        yield house


def _shoot(
    browser: Browser, house: House, asked: argparse.Namespace, scheme: str, width: int
) -> None:
    size = {"width": width, "height": 900 if width > 600 else 844}
    session = chromium.sit_down(browser, house.address, viewport=size, color_scheme=scheme)
    page = session.new_page()
    page.on("console", lambda told: told.type == "error" and sys.stderr.write(f"{told.text}\n"))
    page.goto("/accounts/login/")
    page.screenshot(path=asked.folder / f"sign-in-{scheme}-{width}.png", full_page=True)
    sign_in(page, asked.role)
    for path in asked.paths:
        answer = page.goto(path)
        page.wait_for_load_state("networkidle")
        target = asked.folder / f"{_name(path)}-{scheme}-{width}.png"
        page.screenshot(path=target, full_page=not asked.fold)
        sys.stdout.write(f"{answer.status if answer else '-'} {path} → {target}\n")
    session.close()


def _name(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-") or "home"


if __name__ == "__main__":
    main(sys.argv[1:])
