"""What the browser tests stand on: a Chromium, a running product, and an ear on the console."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.browser import chromium
from tests.browser.house import House, WeakHouse, running, running_weakly, sign_in
from tests.browser.looks import everything
from tests.browser.places import PLACES
from tests.browser.staged import Stage, staged
from tests.browser.walking import Seen, walk
from tests.conftest import part_of

HERE = Path(__file__).parent
# Two browsers and two hosts share the machine: how long a page takes says nothing.
expect.set_options(timeout=30_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands in this folder; skip it, saying why, where there is no Chromium."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if chromium.find() is None:
                item.add_marker(pytest.mark.skip(reason=chromium.MISSING))


class Console:
    """What went wrong in the pages of one test: errors, exceptions, violations of the CSP."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._allowed: list[str] = []

    def listen(self, page: Page) -> None:
        """Hear what this page says."""
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self._told.append(f"exception: {error}"))

    def allow(self, pattern: str) -> None:
        """Expect an error that matches; a page that answers 404 on purpose tells one."""
        self._allowed.append(pattern)

    @property
    def faults(self) -> list[str]:
        """What was told and not expected."""
        return [
            line
            for line in self._told
            if not any(re.search(pattern, line) for pattern in self._allowed)
        ]

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "assert"):
            place = message.location.get("url", "")
            self._told.append(f"{message.text} [{place}]")


# One module long: while Playwright runs, Django refuses its database to the whole thread.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Sandbox, filled, and dashboard; shared, so a test writes only to records of its own."""
    with running(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest.fixture(scope="session")
def weak_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WeakHouse]:
    """The same with a proxy between dashboard and sandbox, for what goes wrong on the way.

    A rule names the record of its test (`proxy.on("POST /v1/…/loans/L-K10007", hang())`), because
    it stays for the tests that follow.
    """
    with running_weakly(tmp_path_factory.mktemp("weak-house")) as weak:
        yield weak


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A house in which every page of the map can be seen."""
    with staged(tmp_path_factory.mktemp("stage")) as stage:
        yield stage


@pytest.fixture(scope="session")
def walked(stage: Stage, pytestconfig: pytest.Config) -> list[Seen]:
    """Every place of the map, looked at once for all tests that ask about all of them."""
    return walk(stage, everything, PLACES[part_of(pytestconfig)])


@pytest.fixture
def console() -> Iterator[Console]:
    console = Console()
    yield console
    assert not console.faults, "\n".join(console.faults)


@pytest.fixture
def open_page(browser: Browser, console: Console) -> Iterator[Callable[..., Page]]:
    """Open a page at a house in a session of its own: `open_page(house, width=390)`."""
    sessions = []

    def open_at(house: House, *, width: int = 1280, height: int = 900, **options: object) -> Page:
        size = {"width": width, "height": height}
        session = chromium.sit_down(browser, house.address, viewport=size, **options)
        sessions.append(session)
        page = session.new_page()
        console.listen(page)
        return page

    yield open_at
    for session in sessions:
        session.close()


@pytest.fixture
def page(open_page: Callable[..., Page], house: House) -> Page:
    """A stranger's page at the shared house."""
    return open_page(house)


@pytest.fixture
def page_of(open_page: Callable[..., Page], house: House) -> Callable[[str], Page]:
    """A page where the person of a role is signed in: `page_of("support")`."""

    def open_as(role: str) -> Page:
        page = open_page(house)
        sign_in(page, role)
        return page

    return open_as
