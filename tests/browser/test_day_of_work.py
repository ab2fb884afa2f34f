"""The day's work, counted: clicks, keys and page loads from a phone number to a receipt.

What is typed of phone, amount and code counts for nothing; every other key and click does. A test
prints its row of the table (`-s`), and fails where the way has grown longer than it may be.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from lendingadmin.demo.environment import BASE_DIR
from lendingadmin.money.repayments.views.recording import CHOOSE_LOAN
from tests.browser.house import House
from tests.sandbox.calling import Caller

PageOf = Callable[[str], Page]
PHONE = "0799 000 311"
LOANS = [f"DAY-{number:02}" for number in range(1, 22)]


class Counted:
    """A page, and what it took a person so far beside the words of the payment."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = self.keys = self.loads = 0
        page.on("domcontentloaded", self._count_load)

    def _count_load(self, _: object) -> None:
        self.loads += 1

    def press(self, *keys: str) -> None:
        for key in keys:
            self.keys += 1
            self.page.keyboard.press(key)

    def click(self, target: Locator) -> None:
        self.clicks += 1
        target.click()

    def type(self, words: str) -> None:
        self.page.keyboard.type(words)

    def report(self, what: str) -> None:
        """Print this row of the table."""
        counts = f"{self.clicks:>3} clicks {self.keys:>4} keys {self.loads:>3} loads"
        print(f"\n{what:<48}{counts}")  # noqa: T201 - shown by pytest -s


@pytest.fixture(scope="module")
def payers(house: House) -> None:
    """One person with one loan and a phone, and one with twenty loans; both indexed."""
    sandbox: Any = SimpleNamespace(base_url=house.sandbox, auth_url=house.sandbox)
    caller, first = Caller(sandbox, "kenya"), LOANS[0]
    lent = {"loanAmount": Decimal("20000.00")}
    person = {"surname": "Kilonzo", "othernames": "Mumbua", "phoneNumber": "+254799000311"}
    caller.borrower("day-one", individual=person)
    caller.loan(first, borrowerId="day-one", **lent)
    caller.borrower("day-twenty", individual={"surname": "Chama", "othernames": "Umoja"})
    for account_id in LOANS[1:]:
        caller.loan(account_id, borrowerId="day-twenty", **lent)
    for command in (["people_index", "--rebuild"], ["reconcile"]):
        line = [sys.executable, "manage.py", *command]
        subprocess.run(line, cwd=BASE_DIR, env=dict(house.environ), check=True)


def expect_form(page: Page, account_id: str) -> None:
    """The form of this loan, ready to be typed into."""
    page.wait_for_url(re.compile(f"/loans/{account_id}/repayments/new"))
    expect(page.locator("input[name=amount]")).to_be_focused()


def expect_review(page: Page, words: str) -> None:
    """What is recorded for whom, what remains, and the button to go on with in focus."""
    expect(page.locator("h1")).to_have_text(words)
    expect(page.locator("button[data-action=record]")).to_be_focused()
    expect(page.locator("main")).to_contain_text(re.compile(r"KES\s[\d,.]+ → [\d,.]+"))


def expect_receipt(page: Page) -> None:
    page.wait_for_url(re.compile(r"/repayments/\d+/"))
    expect(page.locator("#status[data-state=recorded]")).to_be_visible()


def test_from_a_phone_number_to_the_receipt_by_keyboard(page_of: PageOf, payers: None) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/")
    day = Counted(page)
    day.press("/")
    day.type(PHONE)
    person = page.locator("#suggestions a[data-match]")
    expect(person).to_have_count(1)
    day.press("ArrowDown")
    expect(person).to_be_focused()
    day.press("p")
    expect_form(page, LOANS[0])
    day.type("3,500")
    day.press("Tab")
    day.type("DAY-BY-KEYS")
    day.press("Enter")
    expect_review(page, "Record KES 3,500.00 for KILONZO MUMBUA on DAY-01")
    day.press("Enter")
    expect_receipt(page)
    day.report("phone → receipt, by keyboard")
    assert day.keys <= 8 and day.loads <= 3 and not day.clicks


def test_from_a_phone_number_to_the_receipt_by_mouse(page_of: PageOf, payers: None) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/loans/")
    day = Counted(page)
    day.click(page.locator("#find"))
    day.type(PHONE)
    day.click(page.locator("#suggestions").locator("a[href*=repayments]"))
    expect_form(page, LOANS[0])
    day.type("KES 3500")
    day.press("Tab")
    day.type("DAY-BY-MOUSE")
    day.press("Enter")
    expect_review(page, "Record KES 3,500.00 for KILONZO MUMBUA on DAY-01")
    day.click(page.locator("button[data-action=record]"))
    expect_receipt(page)
    day.report("phone → receipt, by mouse")
    assert day.clicks <= 3 and day.loads <= 3


def test_twenty_repayments_from_a_list(page_of: PageOf, payers: None) -> None:
    page = page_of("support")
    listed = "/apps/kenya/loans/?borrowerId=day-twenty"
    page.goto(listed)
    names = page.locator("main tbody a.stretch").all_inner_texts()
    assert sorted(names) == LOANS[1:]
    day, most = Counted(page), 0
    for account_id in names:
        before = day.keys
        page.goto(listed)
        day.click(page.get_by_role("link", name=account_id, exact=True))
        page.wait_for_url(re.compile(f"/loans/{account_id}/"))
        day.press("p")
        expect_form(page, account_id)
        day.type("3,500")
        day.press("Tab")
        day.type(f"DAY-TWENTY-{account_id}")
        day.press("Enter")
        expect_review(page, f"Record KES 3,500.00 for CHAMA UMOJA on {account_id}")
        day.press("Enter")
        expect_receipt(page)
        most = max(most, day.keys - before)
    day.report(f"twenty from a list, at most {most} keys each")
    assert most <= 4 and day.clicks == len(names)


def test_p_where_there_is_more_than_one_loan_to_choose(page_of: PageOf, payers: None) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/borrowers/day-twenty/")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("p")
    expect(page.locator("main")).to_contain_text(str(CHOOSE_LOAN))
    loans = page.locator("#panel-loans tbody a.stretch")
    expect(loans.first).to_be_focused()
    page.keyboard.press("j")
    account_id = loans.nth(1).inner_text()
    page.keyboard.press("p")
    expect_form(page, account_id)
    # Where something is typed, it is a letter.
    page.keyboard.type("p")
    expect(page.locator("input[name=amount]")).to_have_value("p")


def test_p_on_a_closed_loan_shows_the_warning_first(page_of: PageOf) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/loans/?status=3")
    page.locator("main tbody a.stretch").first.click()
    page.wait_for_url(re.compile(r"/loans/[^/]+/$"))
    expect(page.locator("main a[data-record]")).to_be_hidden()
    page.keyboard.press("p")
    link = page.locator("main a[data-record]")
    expect(link).to_be_focused()
    expect(page.locator("main details.menu[open] p")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("[data-finding=closed]")).to_be_visible()


def test_p_elsewhere_goes_to_the_find_box(page_of: PageOf, payers: None) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/events/")
    page.keyboard.press("p")
    expect(page.locator("#find")).to_be_focused()
    expect(page.locator("#find")).to_have_value("")
    # Among people found, only of the one who has the focus: nobody is guessed.
    page.keyboard.type("chama umoja")
    page.keyboard.press("Enter")
    person = page.locator("main [data-people] a[data-match]")
    expect(person).to_be_focused()
    person.blur()
    page.keyboard.press("p")
    expect(page.locator("#find")).to_be_focused()
    person.focus()
    page.keyboard.press("p")
    expect(page.locator("main")).to_contain_text(str(CHOOSE_LOAN))


def test_p_is_nothing_to_those_who_do_not_record(page_of: PageOf) -> None:
    page = page_of("viewer")
    page.goto("/apps/kenya/loans/")
    page.keyboard.press("j")
    here = page.url
    page.keyboard.press("p")
    page.keyboard.press("?")
    expect(page.locator("#keys")).not_to_contain_text("Record a repayment")
    assert page.url == here


def test_more_than_is_owed_has_its_tick_in_focus_and_sending_is_said(
    page_of: PageOf, payers: None
) -> None:
    page = page_of("support")
    page.goto(f"/apps/kenya/loans/{LOANS[0]}/repayments/new")
    expect_form(page, LOANS[0])
    page.keyboard.type("99999")
    page.keyboard.press("Enter")
    tick = page.locator("input[name=may_overpay]")
    expect(tick).to_be_focused()
    page.keyboard.press("Space")
    # Held back at the last moment, so that the page is seen as it is while one waits.
    page.evaluate("addEventListener('submit', (event) => event.preventDefault())")
    button = page.locator("main form button.main")
    button.click()
    sending = str(button.get_attribute("data-sending"))
    expect(button).to_have_text(sending)
    expect(button).to_be_disabled()
    expect(page.locator("#announce")).to_have_text(sending)


def test_the_end_of_a_day_is_one_click_from_home(page_of: PageOf, payers: None) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/")
    day = Counted(page)
    day.click(page.locator("main a[href*='/repayments/day']").first)
    page.wait_for_url(re.compile("/repayments/day/"))
    day.report("end of day")
    assert day.clicks <= 1 and day.loads <= 1


def test_who_leaves_is_signed_out_and_locked_out(page_of: PageOf, house: House) -> None:
    page = page_of("manager")
    page.goto("/people/new")
    page.fill("input[name=username]", "leaver")
    page.click("main form button[type=submit]")
    page.goto("/apps/kenya/")
    day = Counted(page)
    day.click(page.locator(".sidebar a[href='/people/']"))
    day.click(page.locator("main tbody").get_by_role("link", name="leaver"))
    day.click(page.get_by_role("button", name="Deactivate"))
    expect(page.locator("main")).to_contain_text("leaver can no longer sign in.")
    day.report("a leaver")
    assert day.clicks <= 4
