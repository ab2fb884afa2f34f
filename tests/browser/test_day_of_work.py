"""The jobs of a day, each from Home to its end, and the table of what they take.

`pytest -s tests/browser/test_day_of_work.py` prints the table.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.conftest import Console
from tests.browser.house import House, running
from tests.browser.stopwatch import Table, Watch
from tests.browser.test_statement_desk import HEAD, wait_for_worker, worker
from tests.sandbox.calling import Caller

__all__ = ["worker"]
PageOf = Callable[[str], Page]
Begin = Callable[[str], Watch]
HOME = "/apps/kenya/"
PHONE = "0799 000 311"
LOANS = [f"DAY-{number:02}" for number in range(1, 22)]
# Borrowers of a statement's payments: one loan each, and the last has two.
PAYERS = (
    *("Achieng", "Barasa", "Chebet", "Dida", "Ekiru", "Fundi", "Gitau", "Halake", "Imali"),
    *("Jelimo", "Kamau", "Lagat", "Makena", "Nafula", "Odhiambo", "Pkemei", "Rotich", "Simiyu"),
    *("Tanui", "Usama", "Vihenda", "Wario", "Yator", "Zawadi", "Auma", "Bett", "Cheruto", "Dahir"),
)
CLOSED, LARGE = "L-K10002", "DAY-LARGE"
# One after the other, as a morning goes.
OUTCOMES = "prnprnprpn"
NOTES = {"p": "promised all of it", "r": "spoke to his wife", "n": ""}
_COUNT = """
import django
django.setup()
from lendingadmin.desk.portfolio import snapshot_job
row = snapshot_job.begin_snapshot("kenya", None)
while row and snapshot_job.CountWalk.run_slice(row.pk) is not None:
    pass
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house in which a second person approves large amounts."""
    with running(tmp_path_factory.mktemp("day")) as house:
        yield house


@pytest.fixture(scope="module", autouse=True)
def payers(house: House) -> None:
    """One person with a loan and a phone, one with twenty loans, and those of a statement."""
    sandbox: Any = SimpleNamespace(base_url=house.sandbox, auth_url=house.sandbox)
    caller, lent = Caller(sandbox, "kenya"), {"loanAmount": Decimal("20000.00")}
    person = {"surname": "Kilonzo", "othernames": "Mumbua", "phoneNumber": "+254799000311"}
    caller.borrower("day-one", individual=person)
    caller.loan(LOANS[0], borrowerId="day-one", **lent)
    caller.borrower("day-twenty", individual={"surname": "Chama", "othernames": "Umoja"})
    for account_id in LOANS[1:]:
        caller.loan(account_id, borrowerId="day-twenty", **lent)
    caller.borrower("day-large", individual={"surname": "Mwangaza", "othernames": "Hotel"})
    caller.loan(LARGE, borrowerId="day-large", loanAmount=Decimal("200000.00"))
    for at, name in enumerate(PAYERS):
        person = {"surname": name, "othernames": "Pay", "phoneNumber": f"+2547990010{at:02}"}
        caller.borrower(f"pay-{at:02}", individual=person)
        caller.loan(f"PAY-{at:02}", borrowerId=f"pay-{at:02}", **lent)
    caller.loan("PAY-MORE", borrowerId=f"pay-{len(PAYERS) - 1}", **lent)
    for command in (
        ["manage.py", "people_index", "--rebuild"],
        ["manage.py", "reconcile"],
        ["-c", _COUNT],
    ):
        line = [sys.executable, *command]
        subprocess.run(line, cwd=BASE_DIR, env=dict(house.environ), check=True)


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    table = Table()
    yield table
    table.print()


@pytest.fixture
def begin(page_of: PageOf, console: Console) -> Begin:
    """Sign in as the person of a role, open Home, and start the watch."""
    # Who presses Enter at once leaves before the suggestions are there.
    console.allow("htmx:(afterRequest|sendAbort)")

    def begin_as(role: str) -> Watch:
        page = page_of(role)
        page.goto(HOME)
        page.wait_for_load_state("networkidle")
        return Watch(page)

    return begin_as


def expect_form(page: Page, account_id: str) -> None:
    """The form of this loan, ready to be typed into."""
    page.wait_for_url(re.compile(f"/loans/{account_id}/repayments/new"))
    expect(page.locator("input[name=amount]")).to_be_focused()


def expect_receipt(page: Page) -> None:
    page.wait_for_url(re.compile(r"/repayments/\d+/"))
    expect(page.locator("#status")).to_contain_text("Recorded")


def fill_in(watch: Watch, code: str, amount: str = "3500") -> None:
    """From the amount to the receipt, by keyboard."""
    watch.type(amount)
    watch.press("Tab")
    watch.type(code)
    watch.press("Enter")
    expect(watch.page.locator("[data-action=record]")).to_be_focused()
    expect(watch.page.locator("[data-review]")).to_contain_text(re.compile(r"→ [\d,.]+"))
    watch.press("Enter")
    expect_receipt(watch.page)


def print_paper(watch: Watch) -> None:
    """Press Print, and see the paper that the printer is asked for."""
    page = watch.page
    watch.click(page.locator("[name=paper][value=a5]"))
    expect(page.locator("html")).to_have_attribute("data-printed", "yes")


def test_phone_to_printed_receipt(begin: Begin, table: Table) -> None:
    watch = begin("support")
    page = watch.page
    watch.click(page.locator("[data-payment-box] [name=who]"))
    watch.type(PHONE.replace(" ", ""))
    watch.press("Tab")
    watch.type("3500")
    watch.press("Tab")
    watch.type("DAY0000001")
    watch.press("Enter")
    expect(page.locator("h1")).to_contain_text("KILONZO MUMBUA on DAY-01")
    expect(page.locator("[data-action=record]")).to_be_focused()
    watch.press("Enter")
    expect_receipt(page)
    print_paper(watch)
    table.stop(watch, "a phone number to a printed receipt")


def test_phone_to_receipt_by_keyboard(begin: Begin, table: Table) -> None:
    watch = begin("support")
    page = watch.page
    watch.press("/")
    watch.type(PHONE)
    person = page.locator("#suggestions a[data-match]")
    expect(person).to_have_count(1)
    watch.press("ArrowDown")
    expect(person).to_be_focused()
    watch.press("p")
    expect_form(page, LOANS[0])
    fill_in(watch, "DAY-BY-KEYS")
    table.stop(watch, "the same by Find and keyboard")
    page.keyboard.press("p")
    page.wait_for_url("**/payment")
    expect(page.locator("[name=who]")).to_be_focused()


def test_phone_to_receipt_by_mouse(begin: Begin, table: Table) -> None:
    watch = begin("support")
    page = watch.page
    watch.click(page.locator("#find"))
    watch.type(PHONE)
    watch.click(page.locator("#suggestions [data-record]"))
    expect_form(page, LOANS[0])
    watch.type("KES 3500")
    watch.press("Tab")
    watch.type("DAY-BY-MOUSE")
    watch.click(page.locator("main form button.main"))
    watch.click(page.locator("[data-action=record]"))
    expect_receipt(page)
    table.stop(watch, "the same by Find and mouse")


def find_twenty(watch: Watch) -> None:
    """Find the person with twenty loans, and have their loans to choose from."""
    page = watch.page
    watch.press("/")
    watch.type("chama umoja")
    watch.press("Enter")
    expect(page.locator("main [data-people] a[data-match]")).to_be_focused()
    watch.press("p")
    expect(page.locator("#panel-loans tbody a.stretch").first).to_be_focused()


def test_twenty_repayments_of_one_person(begin: Begin, table: Table) -> None:
    watch = begin("support")
    page = watch.page
    find_twenty(watch)
    loans = page.locator("#panel-loans tbody a.stretch").all_inner_texts()
    assert sorted(loans) == LOANS[1:]
    for at, account_id in enumerate(loans):
        if at:
            watch.click(page.locator("[data-action=record-another]"))
            expect(page.locator("[name=who]")).to_be_focused()
            watch.type(account_id)
            watch.press("Tab")
        else:
            watch.press("p")
            expect_form(page, account_id)
        fill_in(watch, f"TWENTY{at:04}")
    table.stop(watch, "twenty repayments of one person")


def test_one_of_several_loans(begin: Begin, table: Table) -> None:
    watch = begin("support")
    page = watch.page
    find_twenty(watch)
    watch.press("j")
    account_id = page.locator("#panel-loans tbody a.stretch").nth(1).inner_text()
    watch.press("p")
    expect_form(page, account_id)
    # Where something is typed, it is a letter.
    page.keyboard.type("p")
    expect(page.locator("input[name=amount]")).to_have_value("p")
    page.keyboard.press("Backspace")
    fill_in(watch, "ONE-OF-MANY")
    table.stop(watch, "one of several loans, to the receipt")


def test_p_on_a_closed_loan_shows_the_warning_first(begin: Begin, table: Table) -> None:
    watch = begin("support")
    page = watch.page
    watch.press("/")
    watch.type(CLOSED)
    watch.press("Enter")
    page.wait_for_url(re.compile(f"/loans/{CLOSED}/$"))
    link = page.locator("a[href$='/repayments/new']")
    expect(link.first).to_be_hidden()
    watch.press("p")
    expect(link.and_(page.locator(":focus"))).to_have_count(1)
    watch.press("Enter")
    expect_form(page, CLOSED)
    table.stop(watch, "a closed loan, to the form with its warning")


def test_p_elsewhere_goes_to_the_find_box(begin: Begin, table: Table) -> None:
    watch = begin("support")
    page = watch.page
    watch.click(page.locator(".sidebar a[href$='/events/']"))
    page.wait_for_url("**/events/")
    watch.press("p")
    expect(page.locator("#find")).to_be_focused()
    expect(page.locator("#find")).to_have_value("")
    # Among people found, only of the one who has the focus: nobody is guessed.
    watch.type("kilonzo mumbua")
    watch.press("Enter")
    person = page.locator("main [data-people] a[data-match]")
    expect(person).to_be_focused()
    person.blur()
    page.keyboard.press("p")
    expect(page.locator("#find")).to_be_focused()
    person.focus()
    watch.press("p")
    expect_form(page, LOANS[0])
    table.stop(watch, "from another page to the form of a person")


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
    begin: Begin, table: Table
) -> None:
    watch = begin("support")
    page = watch.page
    watch.press("/")
    watch.type(PHONE)
    expect(page.locator("#suggestions a[data-match]")).to_have_count(1)
    watch.press("ArrowDown", "p")
    expect_form(page, LOANS[0])
    watch.type("49999")
    watch.press("Enter")
    expect(page.get_by_role("checkbox")).to_be_focused()
    watch.press("Space")
    # Held back at the last moment, so that the page is seen as it is while one waits.
    page.evaluate("addEventListener('submit', (event) => event.preventDefault())")
    button = page.locator("main form button.main")
    watch.click(button)
    expect(button).to_have_text("Sending…")
    expect(button).to_be_disabled()
    expect(page.locator("#announce")).to_have_text("Sending…")
    table.stop(watch, "more than is owed, to its sending")


def test_a_day_is_closed(begin: Begin, table: Table) -> None:
    watch = begin("support")
    page = watch.page
    watch.click(page.locator("main a[href$='/repayments/day/']"))
    page.wait_for_url(re.compile("/repayments/day/"))
    expect(page.locator("main .till").first).to_be_visible()
    table.stop(watch, "end of day, opened")
    watch.click(page.locator("#cash [name=amount]"))
    watch.type("0")
    watch.press("Enter")
    expect(page.locator("#cash tbody td").nth(1)).not_to_have_text("—")
    watch.click(page.locator("[data-print]"))
    expect(page.locator("html")).to_have_attribute("data-printed", "yes")
    table.stop(watch, "end of day, cash counted and printed")


def test_who_leaves_is_signed_out_and_locked_out(page_of: PageOf, table: Table) -> None:
    page = page_of("manager")
    page.goto("/people/new")
    page.fill("input[name=username]", "leaver")
    page.locator("main form button.main").click()
    page.goto(HOME)
    watch = Watch(page)
    watch.click(page.locator(".sidebar a[href='/people/']"))
    watch.click(page.locator("main tbody").get_by_role("link", name="leaver"))
    watch.click(page.locator("form[action$=deactivate] button"))
    expect(page.locator("form[action$=activate] button")).to_have_count(1)
    expect(page.locator("form[action$=deactivate]")).to_have_count(0)
    table.stop(watch, "a leaver is locked out")


def write_statement(first: int, *rows: tuple[str, str, int | None]) -> str:
    """A statement with the amount, the reference and the payer of each row."""
    day = datetime.now(UTC) - timedelta(days=1)
    lines = [f"{HEAD},MSISDN"]
    for at, (amount, of, payer) in enumerate(rows, start=first):
        name, phone = ("", "") if payer is None else (PAYERS[payer], f"2547990010{payer:02}")
        lines.append(f"STW{at:07},{day:%Y%m%d}101112,{amount},123456,{of},{name},{phone}")
    return "\n".join(lines)


def check_payments(watch: Watch) -> None:
    """Upload what is chosen or pasted, and have its payments checked."""
    page = watch.page
    watch.click(page.locator("main form button.main"))
    page.wait_for_url(re.compile(r"/statements/\d+/$"))
    watch.click(page.locator("form[action$='/batch/begin'] button"))
    page.wait_for_url(re.compile(r"/batch/"))
    wait_for_worker(page)


def record_payments(watch: Watch, count: int) -> None:
    """Record what is ready, and wait for the worker."""
    page = watch.page
    watch.click(page.locator("#batch a[href$=record]"))
    expect(page.locator("main form button.main")).to_be_focused()
    watch.press("Enter")
    page.wait_for_url(re.compile(r"/batch/$"))
    wait_for_worker(page)
    expect(page.locator(f"[data-recorded='{count}']")).to_be_visible()


def test_a_statement_of_thirty_rows(begin: Begin, table: Table, worker: None) -> None:
    rows: list[tuple[str, str, int | None]] = []
    rows += [(f"{10 + at}.50", f"PAY-{at:02}", at) for at in range(21)]
    rows += [(f"{40 + at}.00", "loan", at) for at in (21, 22, 23)]
    rows += [("50.00", "PAY-24", 1), ("51.00", "PAY-25", 2), ("52.00", "school fees", None)]
    rows += [("53.00", "loan", 27), ("54.00", CLOSED, None), ("900000.00", "PAY-26", 26)]
    content = write_statement(1, *rows).encode()
    watch = begin("support")
    page = watch.page
    watch.click(page.locator(".sidebar a[href$='/statements/']"))
    watch.click(page.locator("main .actions a.main"))
    file = {"name": "statement.csv", "mimeType": "text/csv", "buffer": content}
    watch.choose_file(page.locator("[name=file]"), file)
    check_payments(watch)
    expect(page.locator("[data-ready='21']")).to_be_visible()
    expect(page.locator("[data-open='9']")).to_be_visible()
    before = watch.clicks
    decide_nine(watch)
    assert watch.clicks - before <= 10
    record_payments(watch, 28)
    table.stop(watch, "a statement of 30 rows, 9 of them odd")


def decide_nine(watch: Watch) -> None:
    """Decide the odd rows: three proposals, two other payers, and one of each other finding."""
    page = watch.page
    watch.click(page.locator("tbody a[href='?finding=proposed']"))
    watch.click(page.locator("form[action$='/batch/accept'] button"))
    expect(page.locator("[data-open='6']")).to_be_visible()
    watch.click(page.locator("#batch .row.end a.button").last)
    for at in (25, 26):
        page.wait_for_url(re.compile(f"/rows/{at}/1"))
        watch.click(page.locator("button[value=accept]"))
    page.wait_for_url(re.compile("/rows/27/1"))
    expect(page.locator("[name=who]")).to_be_focused()
    watch.type("Usama")
    watch.press("Enter")
    watch.click(page.locator("button[name=loan][value=PAY-19]"))
    page.wait_for_url(re.compile("/rows/28/1"))
    expect(page.locator("#candidates")).to_be_focused()
    watch.click(page.locator("[data-candidate=PAY-MORE] button"))
    for at, reason in ((29, "to be returned"), (30, "to be returned")):
        page.wait_for_url(re.compile(f"/rows/{at}/1"))
        expect(page.locator("[name=reason]")).to_be_focused()
        watch.type(reason)
        watch.click(page.locator("button[value=leave]"))
    page.wait_for_url(re.compile(r"/batch/$"))


def test_a_batch_of_pasted_rows(begin: Begin, table: Table, worker: None) -> None:
    watch = begin("support")
    page = watch.page
    watch.click(page.locator(".sidebar a[href$='/statements/']"))
    watch.click(page.locator("main .actions a.main"))
    watch.click(page.locator("[name=text]"))
    watch.paste(write_statement(101, *((f"{60 + at}.25", f"PAY-{at:02}", at) for at in range(10))))
    check_payments(watch)
    record_payments(watch, 10)
    table.stop(watch, "ten pasted rows")


def test_a_collection_sheet(begin: Begin, table: Table, worker: None) -> None:
    watch = begin("officer")
    page = watch.page
    watch.click(page.locator(".sidebar a[href$='/sheets/']"))
    watch.click(page.locator("main .actions a.main"))
    watch.click(page.locator("main form[method=post] button.main"))
    page.wait_for_url(re.compile(r"/sheets/[A-Z0-9]+/$"))
    code = page.url.rstrip("/").rpartition("/")[2]
    watch.click(page.locator("form[action$=print] button"))
    expect(page.locator("html")).to_have_attribute("data-printed", "yes")
    table.stop(watch, "a collection sheet, made and printed")
    watch = begin("support")
    page = watch.page
    watch.click(page.locator(".sidebar a[href$='/sheets/']"))
    watch.click(page.locator("[name=code]"))
    watch.type(code.lower())
    watch.press("Enter")
    expect(page.locator("input[name=row-1]")).to_be_focused()
    for amount in ("500", "250", "125"):
        watch.type(amount)
        watch.press("Enter")
    watch.click(page.locator("input[name=counted]"))
    watch.type("875")
    watch.press("Enter")
    page.wait_for_url(re.compile(r"/batch/"))
    wait_for_worker(page)
    record_payments(watch, 3)
    table.stop(watch, "the sheet returned, three amounts recorded")


def test_ten_calls(begin: Begin, table: Table) -> None:
    watch = begin("officer")
    page, called, most = watch.page, set[str](), 0
    watch.click(page.locator(".sidebar a[href$='/collections/']"))
    watch.click(page.locator("main a[href$='/late-31/']"))
    expect(page.locator("main .actions button.main")).to_be_focused()
    watch.press("Enter")
    for outcome in OUTCOMES:
        page.wait_for_url(re.compile(r"/calls/(?!.*DONE)"))
        before = watch.keys + watch.clicks
        called.add(page.locator("main h1").inner_text())
        expect(page.locator("[data-choose]:checked")).to_have_count(0)
        watch.press(outcome)
        expect(page.locator("[name=note]")).to_be_focused()
        watch.type(NOTES[outcome])
        here = page.url
        watch.press("Enter")
        page.wait_for_function("before => location.href !== before", arg=here)
        most = max(most, watch.keys + watch.clicks - before - len(NOTES[outcome]))
    assert len(called) == len(OUTCOMES) and most <= 2
    table.stop(watch, "ten calls noted")
    page.goto("/apps/kenya/collections/")
    row = page.get_by_role("row", name=re.compile("31 days late and more")).last
    expect(row).to_contain_text(re.compile(r"10\s*7\s*4\s*0"))


def test_an_approval(begin: Begin, table: Table) -> None:
    clerk = begin("support").page
    clerk.goto(f"/apps/kenya/loans/{LARGE}/repayments/new")
    clerk.keyboard.type("60000")
    clerk.keyboard.press("Enter")
    clerk.locator("[data-action=ask-approval]").click()
    clerk.wait_for_url(re.compile(r"/repayments/\d+/"))
    watch = begin("manager")
    page = watch.page
    watch.click(page.locator("[data-decision=approve] a.button").first)
    watch.click(page.locator("main form button.main"))
    expect_receipt(page)
    table.stop(watch, "an approval by a second person")
