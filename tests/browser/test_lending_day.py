"""From a stranger to a loan, counted. `-s` prints the table."""

import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import House, sign_in
from tests.browser.stopwatch import Table, Watch
from tests.browser.test_whole_day import PROCESSING, Desk

_SURNAME, _PHONE = "[name=individual-surname]", "[name=individual-phoneNumber]"


def test_register_assess_offer_compare_lend(open_page: Callable[..., Page], house: House) -> None:
    page = open_page(house)
    sign_in(page, "officer", "/apps/kenya/")
    loads, main = list[Page](), page.locator("main")
    page.on("load", lambda one: loads.append(one))
    watch, table = Watch(page), Table()

    def press(role: Literal["button", "link"], name: str | re.Pattern[str]) -> None:
        watch.click(main.get_by_role(role, name=name, exact=isinstance(name, str)).first)

    def await_text(text: str) -> None:
        """Wait for what the service takes its time for."""
        expect(main).to_contain_text(text, timeout=PROCESSING * 1000)

    watch.click(page.locator(".sidebar").get_by_role("link", name="Borrowers"))
    press("link", "New borrower")
    expect(page.locator(_SURNAME)).to_be_focused()
    watch.type("Wambui")
    watch.press("Tab")
    watch.type("Jane")
    watch.press("Tab")
    watch.type("0712345678")
    watch.press("Enter")
    expect(page).to_have_url(re.compile("/borrowers/B_2D|/borrowers/B-"))
    borrower_id = page.locator("nav.crumbs span").last.inner_text().rpartition(" · ")[2]
    table.stop(watch, "a stranger to a borrower")

    # Her phone reports meanwhile; that is nobody's click.
    other = open_page(house)
    sign_in(other, "officer")
    Desk(other, scripts=True).report(borrower_id)

    press("link", "Assess this borrower")
    watch.click(page.locator("input[name=assessmentType]").first)
    press("button", "Start the assessment")
    await_text("The service authorizes lending")

    press("link", "Request offer")
    expect(page.locator("input[name=assessmentType]:checked")).to_have_count(1)
    press("button", "Request offer")
    await_text("Credit limit")

    press("button", "Compare all products")
    await_text("cheapest")

    watch.click(page.locator("table.compare a.button").first)
    account_id = page.locator("[name=accountId]").input_value()
    press("button", re.compile("^Lend KES"))
    expect(page.locator("nav.crumbs")).to_contain_text(account_id)
    page.wait_for_load_state()
    table.stop(watch, "a stranger to a loan")
    table.print()

    assert len(loads) <= watch.clicks + 1
    page.go_back()
    page.goto(page.url.partition("contracts")[0])
    await_text("Loans made in this dashboard from this offer")


@pytest.fixture
def form(page_of: Callable[[str], Page]) -> Page:
    """The form of a new borrower, before an officer."""
    page = page_of("officer")
    page.goto("/apps/kenya/borrowers/new")
    return page


@pytest.mark.parametrize("name", ["surname", "noOfDependants"])
def test_enter_registers(form: Page, name: str) -> None:
    form.fill(_SURNAME, "Enter")
    form.focus(f"[name=individual-{name}]")
    form.keyboard.press("Enter")
    # Refused for the phone that is missing; and what is technical stays folded away.
    expect(form.locator("main")).to_contain_text("Nothing was saved.")
    expect(form.locator("[name=json-devices]")).to_be_hidden()
    expect(form.locator(_SURNAME)).to_have_value("Enter")


def test_only_what_belongs_to_the_category_is_asked_and_sent(form: Page) -> None:
    company, phone = form.locator("[name=company-companyName]"), form.locator(_PHONE)
    expect(company).to_be_hidden()
    form.fill(_SURNAME, "Kept")
    phone.fill("0712345679")
    form.select_option("[name=general-category]", "company")
    expect(company).to_be_visible()
    expect(phone).to_be_hidden()
    form.select_option("[name=general-category]", "individual")
    expect(phone).to_have_value("0712345679")
    form.select_option("[name=general-category]", "company")
    company.fill("Mama Mboga")
    form.fill("[name=company-phoneNumber]", "0712 345 670")
    form.keyboard.press("Enter")
    expect(form.locator("h1")).to_contain_text("Mama Mboga")
    expect(form.locator("main")).not_to_contain_text("Kept")


def test_what_autosave_brings_back_shows_the_fields_of_its_category(form: Page) -> None:
    form.select_option("[name=general-category]", "company")
    form.fill("[name=company-companyName]", "Mama Mboga")
    form.goto("/apps/kenya/borrowers/new")
    expect(form.locator("[name=company-companyName]")).to_have_value("Mama Mboga")
    expect(form.locator("[name=company-companyName]")).to_be_visible()
    expect(form.locator(_SURNAME)).to_be_hidden()
    form.get_by_role("button", name="Start again").click()
    expect(form.locator(_SURNAME)).to_be_visible()
    expect(form.locator("[name=company-companyName]")).to_be_hidden()


def test_the_book_s_own_words_are_offered(form: Page) -> None:
    expect(form.locator("#used-sex option")).not_to_have_count(0)
    values = form.locator("#used-sex option").evaluate_all("all => all.map(one => one.value)")
    assert set(values) == {"female", "male"}
