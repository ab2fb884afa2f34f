"""The main job, as a person does it: find a loan, record a repayment, know that it landed."""

import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Console
from tests.browser.house import House, WeakHouse, sign_in
from tests.faults.behaviours import forward, hang
from tests.faults.server import Wire

LATE = "/apps/kenya/loans/?status=2&performanceStatus=2"


@pytest.fixture(scope="module")
def house(weak_house: WeakHouse) -> House:
    """One house for all of this file: `make test` runs nothing else that needs one."""
    return weak_house.house


def open_a_loan(page: Page, number: int) -> str:
    """Open the so-manyth loan that is a little late; its accountId."""
    page.goto(LATE)
    link = page.locator("tbody tr").nth(number).locator("a.stretch")
    account_id = link.inner_text()
    link.click()
    expect(page.locator("nav.crumbs")).to_contain_text(account_id)
    return account_id


def owed(page: Page) -> Decimal:
    """What the loan page says is still owed."""
    text = page.locator(".facts dd").first.inner_text().splitlines()[0]
    return Decimal(re.sub(r"[^\d.]", "", text))


def fill_in(page: Page, amount: str, **fields: str) -> None:
    """From the loan page to the confirm step."""
    page.click("main a[data-record]")
    page.fill("input[name=amount]", amount)
    for name, value in fields.items():
        page.fill(f"input[name={name}]", value)
    page.click("form[data-autosave] button.main")
    expect(page.locator("[data-review]")).to_be_visible()


def test_find_a_borrower_record_a_repayment_and_see_it_land(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(LATE)
    borrower = page.locator("tbody tr").first.locator("td[data-label=Borrower] a").inner_text()
    page.keyboard.press("/")
    page.keyboard.type(borrower)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/borrowers/"))
    late = page.locator("#panel-loans a.stretch").first
    late.click()
    expect(page).to_have_url(re.compile(r"/loans/[^/]+/$"))
    loan, before = page.url, owed(page)
    fill_in(page, "10.50", externalId="BROWSER-1", otherNetwork="M-PESA")
    page.locator("button[data-action=record]").click()
    expect(page.locator("#status[data-state=recorded]")).to_be_visible()
    expect(page.locator("#announce")).not_to_be_empty()
    page.goto(loan)
    assert owed(page) == before - Decimal("10.50")
    expect(page.locator("main")).to_contain_text("BROWSER-1")


@pytest.mark.exhaustive
def test_the_receipt_prints_without_the_frame(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    open_a_loan(page, 1)
    fill_in(page, "5")
    page.locator("button[data-action=record]").click()
    page.click("main button[name=paper][value=a5]")
    expect(page.locator(".sidebar")).to_have_count(0)
    expect(page.locator("[data-print]")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("[data-print]")).to_be_hidden()
    expect(page.locator("main a.button").first).to_be_hidden()
    expect(page.locator(".sheet")).to_contain_text("KES 5.00")
    expect(page.locator("html")).to_have_attribute("data-printed", "yes")
    assert page.pdf().startswith(b"%PDF")


def test_a_double_click_on_record_it_records_once(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    account_id = open_a_loan(page, 2)
    before = owed(page)
    fill_in(page, "7")
    page.locator("button[data-action=record]").dblclick()
    expect(page.locator("#status[data-state=recorded]")).to_be_visible()
    page.goto(f"/apps/kenya/loans/{account_id}/")
    assert owed(page) == before - 7


def test_what_was_typed_outlives_a_mistake(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    open_a_loan(page, 3)
    page.click("main a[data-record]")
    page.fill("input[name=amount]", "1.000")
    page.click("details:has(textarea[name=notes]) > summary")
    page.fill("textarea[name=notes]", "brought by her son")
    page.click("form[data-autosave] button.main")
    field = page.locator("input[name=amount]")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("1.000")
    expect(page.locator("#id_amount_error")).not_to_be_empty()
    expect(page.locator("textarea[name=notes]")).to_have_value("brought by her son")


@pytest.mark.exhaustive
def test_the_service_hangs_after_it_took_the_money(
    open_page: Callable[..., Page], weak_house: WeakHouse, console: Console
) -> None:
    """The person is told not to enter it again, and finds out on the same page what happened."""
    house, proxy = weak_house
    page = open_page(house)
    sign_in(page, "support")
    account_id = open_a_loan(page, 0)
    before, hits = owed(page), proxy.hits("makeRepayment")

    def take_it_and_hang(wire: Wire) -> bool:
        wire.forward()
        # Until the dashboard has given up, its looks find nothing either.
        return hang()(wire)

    proxy.once("makeRepayment", take_it_and_hang)
    fill_in(page, "12", externalId="HANGS")
    page.locator("button[data-action=record]").click(no_wait_after=True)
    state = re.compile("unknown|presumed")
    expect(page.locator("#status")).to_have_attribute("data-state", state, timeout=30_000)
    presumed = page.locator("#status[data-state=presumed]")
    expect(presumed).to_be_visible(timeout=30_000)
    assert proxy.hits("makeRepayment") - hits == 1
    page.goto(f"/apps/kenya/loans/{account_id}/")
    assert owed(page) == before - 12


def test_an_outage_is_a_card_and_nothing_is_lost(
    open_page: Callable[..., Page], weak_house: WeakHouse, console: Console
) -> None:
    console.allow("503|502|504")
    house, proxy = weak_house
    page = open_page(house)
    sign_in(page, "support")
    open_a_loan(page, 1)
    page.click("main a[data-record]")
    page.fill("input[name=amount]", "20")
    page.click("details:has(textarea[name=notes]) > summary")
    page.fill("textarea[name=notes]", "kept")

    def break_off(wire: Wire) -> bool:
        wire.reset()
        return False

    proxy.on("GET /v1/projects", break_off)
    try:
        page.click("form[data-autosave] button.main")
        expect(page.locator(".notice [data-saved=no]")).to_be_visible()
        expect(page.locator("textarea[name=notes]")).to_have_value("kept")
        answer = page.goto("/apps/kenya/loans/")
        assert answer and answer.status >= 500
    finally:
        proxy.on("GET /v1/projects", forward())
    page.click("main a.button[href='/apps/kenya/loans/']")
    expect(page.locator("tbody tr").first).to_be_visible()
