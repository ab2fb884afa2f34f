"""Save pictures of pages, light and dark, wide and narrow.

    python -m tests.browser.shoot FOLDER
    python -m tests.browser.shoot FOLDER PATH… [--role support] [--address http://localhost:8000]

Without paths it takes every place of the map (`places.py`), named by page and state; that is
`make screenshots`. With paths it takes those, as one person sees them. Without an address it
starts a house of its own. It ends with 1 where a page did not answer as it should.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser import chromium
from tests.browser.house import House, running, sign_in
from tests.browser.places import PLACES, Place
from tests.browser.staged import staged
from tests.browser.walking import settle, walk

SCHEMES = ("light", "dark")
_PHONE = {390: 844}
_HEIGHT = 900


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; how many pages did not answer as they should."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("paths", nargs="*", metavar="path")
    parser.add_argument("--role", default="support")
    parser.add_argument("--address", help="of a running dashboard with the demo's people")
    parser.add_argument("--fold", action="store_true", help="only what fits the first screen")
    parser.add_argument("--only", default="", help="of the map, places whose name begins so")
    parser.add_argument("--widths", type=int, nargs="+", default=[1440, 390])
    asked = parser.parse_args(arguments)
    asked.folder.mkdir(parents=True, exist_ok=True)
    take = _camera(asked.folder, asked.widths, whole=not asked.fold)
    if asked.paths:
        with _house(asked.address) as house:
            return _listed(house, asked.role, asked.paths, take)
    return _map([place for place in PLACES if place.name.startswith(asked.only)], take)


def _camera(folder: Path, widths: Sequence[int], *, whole: bool) -> Callable[[Page, str], int]:
    """Takes all pictures of a page that stands there, by its name; how many."""

    def take(page: Page, name: str) -> int:
        for width, scheme in product(widths, SCHEMES):
            page.set_viewport_size({"width": width, "height": _PHONE.get(width, _HEIGHT)})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=folder / f"{name}-{scheme}-{width}.png", full_page=whole)
        return len(widths) * len(SCHEMES)

    return take


def _map(places: Sequence[Place], take: Callable[[Page, str], int]) -> int:
    with staged() as stage:
        seen = walk(stage, lambda page, place: take(page, place.name), places)
    faults = [f"{one.place.name}: {fault}" for one in seen for fault in one.faults]
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    count = sum(one.found or 0 for one in seen)
    sys.stdout.write(f"{count} pictures of {len(seen)} places, {len(faults)} faults\n")
    return len(faults)


@contextmanager
def _house(address: str | None) -> Iterator[House]:
    if address:
        yield House(address.rstrip("/"), "")
        return
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as house:
        yield house


def _listed(house: House, role: str, paths: Sequence[str], take: Callable[[Page, str], int]) -> int:
    faults = 0
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        page = chromium.sit_down(browser, house.address).new_page()
        page.on("console", lambda told: told.type == "error" and sys.stderr.write(f"{told.text}\n"))
        sign_in(page, role)
        for path in paths:
            answer = page.goto(path)
            settle(page)
            take(page, _name(path))
            status = answer.status if answer else 0
            faults += status != 200
            sys.stdout.write(f"{status} {path}\n")
        browser.close()
    return faults


def _name(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-") or "home"


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
