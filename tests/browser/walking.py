"""Going through the map: opens every place once, and has it looked at."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from playwright.sync_api import Error as BrowserError

from tests.browser import chromium
from tests.browser.places import PLACES, Place
from tests.browser.staged import Stage

Look = Callable[[Page, Place], Any]
SIZE = {"width": 1280, "height": 900}


@dataclass
class Seen:
    """What came of a visit: where it ended, what the look gave, and what was wrong on the way."""

    place: Place
    path: str = ""
    found: Any = None
    faults: list[str] = field(default_factory=list)


def walk(
    stage: Stage, look: Look, places: Iterable[Place] = PLACES, *, workers: int = 2
) -> list[Seen]:
    """Visit the places, some at the same time, each with a browser session of its person.

    What goes wrong on a visit is told with it and stops no other visit.
    """
    waiting: SimpleQueue[Place] = SimpleQueue()
    for place in places:
        waiting.put(place)
    seen: list[Seen] = []
    lock = threading.Lock()

    def work() -> None:
        # Playwright's objects belong to the thread that made them.
        with sync_playwright() as playwright:
            browser = chromium.launch(playwright)
            sessions = _Sessions(browser, stage)
            while True:
                try:
                    place = waiting.get_nowait()
                except Empty:
                    break
                one = _visit(sessions, stage, place, look)
                with lock:
                    seen.append(one)
            browser.close()

    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(work) for _ in range(workers)]:
            done.result()
    order = {place.name: number for number, place in enumerate(PLACES)}
    return sorted(seen, key=lambda one: order.get(one.place.name, -1))


class _Sessions:
    """One browser session for each person; a stranger's is new every time."""

    def __init__(self, browser: Browser, stage: Stage) -> None:
        self._browser, self._stage = browser, stage
        self._kept: dict[str, BrowserContext] = {}

    def of(self, person: str) -> BrowserContext:
        if person not in self._kept:
            session = chromium.sit_down(self._browser, self._stage.house.address, viewport=SIZE)
            if not person:
                return session
            session.add_cookies(self._stage.cookies(person))
            self._kept[person] = session
        return self._kept[person]


def _visit(sessions: _Sessions, stage: Stage, place: Place, look: Look) -> Seen:
    seen = Seen(place)
    session = sessions.of(place.person)
    page = session.new_page()
    page.on("pageerror", lambda error: seen.faults.append(f"exception: {error}"))
    page.on(
        "console",
        lambda told: told.text.startswith("CSP:") and seen.faults.append(told.text),
    )
    try:
        arrive(page, stage, place, seen.faults)
        seen.path = urlsplit(page.url).path
        seen.found = look(page, place)
    except (BrowserError, AssertionError) as error:
        seen.faults.append(f"{type(error).__name__}: {str(error)[:600]}")
    finally:
        page.close() if place.person else session.close()
    return seen


def arrive(page: Page, stage: Stage, place: Place, faults: list[str]) -> None:
    """Open the place and do what must be done; what does not fit the map is a fault."""
    answer = page.goto(place.address.format_map(stage.names), timeout=60_000)
    if answer is None or answer.status != place.status:
        faults.append(f"answered {answer and answer.status}, not {place.status}")
    settle(page)
    if place.do:
        place.do(page, stage.names)
        settle(page)
    body = expect(page.locator("body"))
    try:  # what was pressed may be on its way
        body.to_contain_text(place.shows, use_inner_text=True, timeout=10_000)
    except AssertionError:
        faults.append(f"does not say “{place.shows}”")


def settle(page: Page) -> None:
    """Wait until the page and the parts that it loads by itself are there."""
    page.wait_for_load_state()
    # Asked for from outside: inside the page, waiting would need eval, which its policy refuses.
    page.locator(".htmx-request").first.wait_for(state="detached", timeout=60_000)
