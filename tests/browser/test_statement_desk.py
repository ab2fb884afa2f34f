"""A statement with something of each finding, from the paste to the receipts, by keyboard alone."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.house import House

# An open loan for each row, and one that is closed.
PAID, WORDS, FOUND, OVERPAID, CLOSED = "L-K10215", "L-K10185", "L-K10236", "L-K10143", "L-K10002"
HEAD = "TransID,TransTime,TransAmount,BusinessShortCode,BillRefNumber"
ROWS = (
    ("SJBR000001", "1.25", PAID),
    ("SJBR000002", "1.50", f"for {WORDS.lower()} thanks"),
    ("SJBR000003", "1.75", "school fees"),
    ("SJBR000004", "2.00", CLOSED),
    ("SJBR000005", "99000000.00", OVERPAID),
    ("SJBR000006", "2.25", PAID),
    ("SJBR000006", "2.25", PAID),
    ("1.42593E+11", "2.50", PAID),
)


@pytest.fixture
def worker(house: House) -> Iterator[None]:
    """The house has none by itself."""
    command = [sys.executable, "manage.py", "db_worker", "--interval", "0.2"]
    process = subprocess.Popen(
        command,
        cwd=BASE_DIR,
        env=house.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield
    process.terminate()
    process.wait(20)


def tab_to(page: Page, words: str) -> None:
    """Press Tab until what bears these words has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "() => document.activeElement.innerText || document.activeElement.name || ''"
        )
        if words in found:
            return
    raise AssertionError(f"Tab does not lead to {words}")


def press(page: Page, words: str) -> None:
    tab_to(page, words)
    page.keyboard.press("Enter")


def wait_for_worker(page: Page) -> None:
    """The page says by itself when the worker has ended; its link shows the rows."""
    expect(page.get_by_role("link", name="Show the rows")).to_be_visible(timeout=60_000)
    press(page, "Show the rows")


def found_of(page: Page, code: str) -> str:
    return page.locator("tbody tr", has_text=code).first.inner_text()


def test_a_file_with_each_finding_by_keyboard(page_of: Callable[[str], Page], worker: None) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/statements/new")
    tab_to(page, "text")
    lines = (f"{code},20261105101112,{amount},123456,{of}" for code, amount, of in ROWS)
    page.keyboard.insert_text("\n".join([HEAD, *lines]))
    press(page, "Read it")
    expect(page.locator("h1")).to_have_text("M-PESA")
    press(page, "Check its payments")
    expect(page.locator("h1")).to_have_text("Payments of M-PESA")
    wait_for_worker(page)
    for code, finding in (
        ("SJBR000001", "fine"),
        ("SJBR000002", "may be this loan"),
        ("SJBR000003", "no loan"),
        ("SJBR000004", "loan closed"),
        ("SJBR000005", "above what is owed"),
        ("SJBR000006", "twice in the file"),
        ("1.42593E+11", "damaged id"),
    ):
        assert finding in found_of(page, code)

    expect(page.get_by_role("link", name="Decide what is open")).to_be_visible()
    press(page, "Decide what is open")
    # The proposal: the button has the focus.
    expect(page.locator("h1")).to_contain_text("1.50")
    page.keyboard.press("Enter")
    # Nobody's: the box has the focus.
    expect(page.locator("h1")).to_contain_text("1.75")
    page.keyboard.type(FOUND)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Which loan?")).to_be_focused()
    press(page, "This loan")
    expect(page.locator("main")).to_contain_text("chosen by a person")
    page.keyboard.press("Enter")
    # The closed one: why has the focus.
    expect(page.locator("h1")).to_contain_text("2.00")
    page.keyboard.type("the branch wants it kept")
    press(page, "Leave out")
    expect(page.locator("h1")).to_contain_text("99,000,000.00")
    page.keyboard.type("sent back by the operator")
    press(page, "Leave out")
    # No row is left to decide.
    expect(page.locator("h1")).to_have_text("Payments of M-PESA")
    press(page, "Record 3")
    expect(page.locator("h1")).to_have_text("Record 3 payments")
    page.keyboard.press("Enter")
    wait_for_worker(page)
    expect(page.locator("#batch")).to_contain_text("3 recorded")
    for code in ("SJBR000001", "SJBR000002", "SJBR000003"):
        row = page.locator("tbody tr", has_text=code)
        expect(row).to_contain_text(re.compile(r"recorded\s+KENYA-\d{4}-\d{6}"))
    assert "KENYA" not in found_of(page, "SJBR000004")
