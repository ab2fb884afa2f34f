"""The line to the service breaks: the page says so, and the way back works."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import Console
from tests.browser.house import WeakHouse, sign_in
from tests.faults.behaviours import html, reset

LOAN = "/apps/kenya/loans/L-K10011/"


def test_a_loan_that_cannot_be_read_is_a_card_with_a_way_back(
    weak_house: WeakHouse, open_page: Callable[..., Page], console: Console
) -> None:
    console.allow("Failed to load resource: the server responded with a status of 50")
    page = open_page(weak_house.house)
    sign_in(page, "support")
    for broken in (reset(), html(502)):
        # A read is tried three times in all.
        for _ in range(3):
            weak_house.proxy.once("loans/L-K10011", broken)
        page.goto(LOAN)
        expect(page.locator("h1")).to_have_text("This page can't be shown now")
        page.click("main a:has-text('Try again')")
        expect(page.locator("nav.crumbs")).to_contain_text("L-K10011")
