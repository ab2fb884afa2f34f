"""A statement with something of each finding, from the paste to the receipts, by keyboard alone.

What is recorded before comes from another statement, what looks like a payment from the form.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from lendingadmin.demo.environment import BASE_DIR
from lendingadmin.desk.statements.findings import Basis, Finding
from tests.browser.house import House

# An open loan for each row, and one that is closed.
PAID, WORDS, FOUND, OVERPAID, CLOSED = "L-K10215", "L-K10185", "L-K10236", "L-K10143", "L-K10002"
BEFORE = ("SJBR000007", "2.90", FOUND)
# The borrower pays, so that a loan whose id is a digit away does not matter.
PAYERS = {PAID: "WEKESA", FOUND: "OKOTH", OVERPAID: "MWAKIO"}
HEAD = "TransID,TransTime,TransAmount,BusinessShortCode,BillRefNumber,FirstName"
ROWS = (
    ("SJBR000001", "1.25", PAID),
    ("SJBR000002", "1.50", f"for {WORDS.lower()} thanks"),
    ("SJBR000003", "1.75", "school fees"),
    ("SJBR000004", "2.00", CLOSED),
    ("SJBR000005", "99000000.00", OVERPAID),
    ("SJBR000006", "2.25", PAID),
    ("SJBR000006", "2.25", PAID),
    ("1.42593E+11", "2.50", PAID),
    BEFORE,
    ("SJBR000008", "3.00", OVERPAID),
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
            "() => document.activeElement?.innerText || document.activeElement?.name || ''"
        )
        if words in found:
            return
    raise AssertionError(f"Tab does not lead to {words}")


def press(page: Page, words: str) -> None:
    tab_to(page, words)
    page.keyboard.press("Enter")


def wait_for_worker(page: Page) -> None:
    """The page shows the rows by itself when the worker has ended."""
    busy = page.locator("#batch[data-poll]")
    expect(busy).to_have_count(0, timeout=60_000)
    expect(page.locator("#batch:not([hx-get])")).to_be_visible()


def found_of(page: Page, code: str) -> str:
    return page.locator("tbody tr", has_text=code).first.inner_text()


def bring_in(page: Page, *rows: tuple[str, str, str]) -> None:
    """Paste a statement of these payments, and have it checked."""
    page.goto("/apps/kenya/statements/new")
    tab_to(page, "text")
    day = datetime.now(UTC) - timedelta(days=1)
    lines = (
        f"{code},{day:%Y%m%d}101112,{amount},123456,{of},{PAYERS.get(of, '')}"
        for code, amount, of in rows
    )
    page.keyboard.insert_text("\n".join([HEAD, *lines]))
    press(page, "Upload")
    expect(page.locator("h1")).to_have_text("M-PESA")
    press(page, "Check payments")
    expect(page.locator("h1")).to_have_text("Payments of M-PESA")
    wait_for_worker(page)


def enter_by_hand(page: Page, loan_id: str, amount: str) -> None:
    """Record a payment in the form of its loan, under an id that no statement has."""
    page.goto(f"/apps/kenya/loans/{loan_id}/repayments/new")
    expect(page.locator("input[name=amount]")).to_be_focused()
    page.keyboard.type(amount)
    page.keyboard.press("Tab")
    page.keyboard.type("TYPED-0001")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Record KES {amount}")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("Recorded")


def record(page: Page, count: str) -> None:
    """Record what is accepted, and wait for it."""
    press(page, f"Record {count}")
    expect(page.locator("h1")).to_contain_text(f"Record {count} payment")
    page.keyboard.press("Enter")
    wait_for_worker(page)
    expect(page.locator(f"[data-recorded='{count}']")).to_be_visible()


def test_a_file_with_each_finding_by_keyboard(page_of: Callable[[str], Page], worker: None) -> None:
    page = page_of("support")
    enter_by_hand(page, OVERPAID, "3.00")
    bring_in(page, BEFORE)
    record(page, "1")
    bring_in(page, *ROWS)
    for code, finding in (
        ("SJBR000001", Finding.FINE),
        ("SJBR000002", Finding.PROPOSED),
        ("SJBR000003", Finding.NO_LOAN),
        ("SJBR000004", Finding.CLOSED),
        ("SJBR000005", Finding.OVERPAID),
        ("SJBR000006", Finding.TWICE),
        ("1.42593E+11", Finding.DAMAGED),
        ("SJBR000007", Finding.RECORDED),
        ("SJBR000008", Finding.ALIKE),
    ):
        assert str(finding.label) in found_of(page, code)

    press(page, "Decide ")
    # The proposal: the button has the focus.
    expect(page.locator("h1")).to_contain_text("1.50")
    page.keyboard.press("Enter")
    # Nobody's: the box has the focus.
    expect(page.locator("h1")).to_contain_text("1.75")
    page.keyboard.type(FOUND)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Choose the loan")).to_be_focused()
    press(page, "This loan")
    expect(page.locator("main")).to_contain_text(str(Basis.PERSON.label))
    page.keyboard.press("Enter")
    # The closed one: why has the focus.
    expect(page.locator("h1")).to_contain_text("2.00")
    page.keyboard.type("the branch wants it kept")
    press(page, "Leave out")
    expect(page.locator("h1")).to_contain_text("99,000,000.00")
    page.keyboard.type("sent back by the operator")
    press(page, "Leave out")
    expect(page.locator("h1")).to_contain_text("3.00")
    page.keyboard.type("she paid twice, and said so")
    press(page, "Accept")
    # No row is left to decide.
    expect(page.locator("h1")).to_have_text("Payments of M-PESA")
    record(page, "4")
    for code in ("SJBR000001", "SJBR000002", "SJBR000003", "SJBR000008"):
        row = page.locator("tbody tr", has_text=code)
        expect(row).to_contain_text(re.compile(r"recorded\s+KENYA-\d{4}-\d{6}"))
    assert "KENYA" not in found_of(page, "SJBR000004")
