"""A zone of one's own, from choosing it to reading a loan; terms explained in place."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

LOANS = "/apps/kenya/loans/"


def choose(page: Page, zone: str) -> None:
    """Set the profile as a person does."""
    page.goto("/accounts/profile/")
    page.get_by_label("Time zone").select_option(zone)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("list").filter(has_text="Your profile is saved.")).to_be_visible()


@pytest.fixture
def away(page_of: Callable[[str], Page]) -> Iterator[Page]:
    """The viewer, who is in New York for the length of a test."""
    page = page_of("viewer")
    choose(page, "America/New_York")
    yield page
    choose(page, "")


def test_a_person_in_new_york_reads_the_book_of_nairobi(away: Page) -> None:
    page = away
    page.goto("/")
    page.locator("details.menu summary").last.click()
    page.get_by_role("link", name="Your profile").click()
    expect(page.locator("main")).to_contain_text("New York time")

    page.goto(f"{LOANS}?status=2")
    expect(page.locator(".top")).to_contain_text("yours: New York time")
    page.locator("a.stretch").first.click()
    read = page.locator("section[aria-labelledby=balances] time")
    expect(read).to_have_attribute("title", re.compile(r"UTC, .* Nairobi time$"))
    expect(page.locator("section[aria-labelledby=balances]")).to_contain_text("New York time")
    # An instalment is due on the lender's day, here as there.
    due = page.locator("table.schedule time, .schedule time").first
    day = due.get_attribute("datetime")
    assert day is not None and day[8:10].lstrip("0") == due.inner_text().partition(" ")[0]


def test_on_a_phone_the_zone_of_the_moments_is_in_sight(away: Page) -> None:
    for width in (390, 320):
        away.set_viewport_size({"width": width, "height": 800})
        away.goto(LOANS)
        expect(away.locator(".top").get_by_text("New York time")).to_be_visible()
        assert away.evaluate("document.documentElement.scrollWidth") <= width


class TestATerm:
    @pytest.fixture
    def loan_page(self, page_of: Callable[[str], Page]) -> Page:
        page = page_of("viewer")
        page.goto(f"{LOANS}?status=2")
        page.locator("a.stretch").first.click()
        expect(page.locator(".facts")).to_be_visible()
        return page

    def test_explains_itself_to_the_keyboard_until_escape(self, loan_page: Page) -> None:
        term, tip = parts(loan_page)
        expect(tip).to_be_hidden()
        term.focus()
        expect(tip).to_be_visible()
        expect(term).to_have_accessible_description(re.compile("^The part of the outstanding"))
        expect(term).to_have_accessible_name("Overdue")
        loan_page.keyboard.press("Escape")
        expect(tip).to_be_hidden()
        expect(term).to_be_focused()
        loan_page.keyboard.press("Shift+Tab")
        term.focus()
        expect(tip).to_be_visible()
        loan_page.keyboard.press("Tab")
        expect(tip).to_be_hidden()

    def test_explains_itself_to_the_pointer_which_may_move_onto_it(self, loan_page: Page) -> None:
        term, tip = parts(loan_page)
        term.hover()
        expect(tip).to_be_visible()
        tip.hover()
        expect(tip).to_be_visible()
        loan_page.keyboard.press("Escape")
        expect(tip).to_be_hidden()
        loan_page.mouse.move(2, 2)
        term.hover()
        expect(tip).to_be_visible()
        loan_page.mouse.move(2, 2)
        expect(tip).to_be_hidden()

    def test_covers_no_figure_that_it_explains(self, loan_page: Page) -> None:
        term, tip = parts(loan_page)
        term.hover()
        expect(tip).to_be_visible()
        figure = loan_page.locator(".facts dd").nth(1).bounding_box()
        shown = tip.bounding_box()
        assert figure and shown and shown["y"] + shown["height"] <= figure["y"]

    def test_a_tap_shows_it_and_a_tap_elsewhere_takes_it_away(self, loan_page: Page) -> None:
        term, tip = parts(loan_page)
        term.click()
        expect(tip).to_be_visible()
        loan_page.locator("h1").click()
        expect(tip).to_be_hidden()

    @pytest.mark.parametrize("width", [1280, 390, 320])
    def test_stays_within_the_window(self, loan_page: Page, width: int) -> None:
        loan_page.set_viewport_size({"width": width, "height": 700})
        for details in loan_page.locator("main details").all():
            details.evaluate("element => (element.open = true)")
        # On a phone a table's head, with its terms, is not shown.
        terms = loan_page.locator("main button.term:visible")
        assert terms.count() > 8
        for term in terms.all():
            term.scroll_into_view_if_needed()
            term.focus()
            tip = loan_page.locator(".tip:popover-open")
            expect(tip).to_have_count(1)
            box = tip.bounding_box()
            assert box is not None
            assert box["x"] >= 0 and box["x"] + box["width"] <= width
            assert box["y"] >= 0 and box["y"] + box["height"] <= 700
        assert loan_page.evaluate("document.documentElement.scrollWidth") <= width


def parts(page: Page) -> tuple[Locator, Locator]:
    """The word “Overdue” of the facts, and its explanation."""
    term = page.locator(".facts button.term", has_text="Overdue")
    return term, page.locator(f"#{term.get_attribute('aria-describedby')}")
