"""From a stranger to a loan, counted: clicks, keys and page loads. `-s` prints the table."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import House, sign_in
from tests.browser.test_whole_day import PROCESSING, Desk

MOST_CLICKS = 15
_SURNAME, _PHONE = "[name=individual-surname]", "[name=individual-phoneNumber]"


class Counted:
    """A person at a page, of whom every click, key and page load is counted, step by step."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps: list[tuple[str, int, int, int]] = []
        self._clicks = self._keys = self._loads = 0
        page.on("load", self._count_load)

    def _count_load(self, page: Page) -> None:
        self._loads += 1

    def click(self, target: Locator) -> None:
        self._clicks += 1
        target.click()

    def press(self, key: str) -> None:
        self._keys += 1
        self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self._keys += len(text)
        self.page.keyboard.type(text)

    def link(self, name: str) -> Locator:
        return self.page.locator("main").get_by_role("link", name=name, exact=True).first

    def button(self, name: str | re.Pattern[str]) -> Locator:
        exact = isinstance(name, str)
        return self.page.locator("main").get_by_role("button", name=name, exact=exact).first

    def await_text(self, text: str) -> None:
        """Wait for what the service takes its time for."""
        main = self.page.locator("main")
        expect(main).to_contain_text(text, timeout=PROCESSING * 1000)

    def end(self, step: str) -> None:
        """Write down what the step took."""
        self.page.wait_for_load_state()
        self.steps.append((step, self._clicks, self._keys, self._loads))
        self._clicks = self._keys = self._loads = 0

    def sum_up(self) -> tuple[int, int, int]:
        """Print the table; what all steps took."""
        clicks, keys, loads = (sum(row[at] for row in self.steps) for at in (1, 2, 3))
        rows = [("step", "clicks", "keys", "loads"), *self.steps, ("all", clicks, keys, loads)]
        table = "\n".join("{:<10}{:>8}{:>8}{:>8}".format(*row) for row in rows)
        print(f"\n{table}")  # noqa: T201 - shown by pytest -s
        return clicks, keys, loads


def test_register_assess_offer_compare_lend(open_page: Callable[..., Page], house: House) -> None:
    page = open_page(house)
    sign_in(page, "officer", "/apps/kenya/")
    officer = Counted(page)
    officer.click(page.locator(".sidebar").get_by_role("link", name="Borrowers"))
    officer.click(officer.link("New borrower"))
    expect(page.locator(_SURNAME)).to_be_focused()
    officer.type("Wambui")
    officer.press("Tab")
    officer.type("Jane")
    officer.press("Tab")
    officer.type("0712345678")
    officer.press("Enter")
    expect(page).to_have_url(re.compile("/borrowers/B_2D|/borrowers/B-"))
    borrower_id = page.locator("nav.crumbs span").last.inner_text()
    officer.end("register")

    # Her phone reports meanwhile; that is nobody's click.
    other = open_page(house)
    sign_in(other, "officer")
    Desk(other, scripts=True).report(borrower_id)

    officer.click(officer.link("Assess this borrower"))
    officer.click(page.locator("input[name=assessmentType]").first)
    officer.click(officer.button("Start the assessment"))
    officer.await_text("The service authorizes lending")
    officer.end("assess")

    officer.click(officer.link("Request offer"))
    expect(page.locator("input[name=assessmentType]:checked")).to_have_count(1)
    officer.click(officer.button("Request offer"))
    officer.await_text("Credit limit")
    officer.end("offer")

    officer.click(officer.button("Compare all products"))
    officer.await_text("cheapest")
    officer.end("compare")

    officer.click(page.locator("table.compare a.button").first)
    account_id = page.locator("[name=accountId]").input_value()
    officer.click(officer.button(re.compile("^Lend KES")))
    expect(page.locator("nav.crumbs")).to_contain_text(account_id)
    officer.end("lend")

    clicks, _, loads = officer.sum_up()
    assert clicks <= MOST_CLICKS
    assert loads <= clicks + 1
    page.go_back()
    page.goto(page.url.partition("contracts")[0])
    officer.await_text("Loans made in this dashboard from this offer")


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
