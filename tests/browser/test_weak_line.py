"""The line to the service breaks: the page says so, and the way back works."""

from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Console
from tests.browser.house import WeakHouse, sign_in
from tests.faults.behaviours import forward, html, reset, slow_answer
from tests.sandbox.calling import Caller

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
        page.click("main .row a.button:not(.quiet)")
        expect(page.locator("nav.crumbs")).to_contain_text("L-K10011")


def test_a_panel_that_comes_later_moves_nothing(
    weak_house: WeakHouse, open_page: Callable[..., Page]
) -> None:
    house, proxy = weak_house
    sandbox: Any = SimpleNamespace(base_url=house.sandbox, auth_url=house.sandbox)
    caller = Caller(sandbox, "kenya")
    caller.borrower("steady", individual={"surname": "Imara", "othernames": "Tulia"})
    caller.loan("STEADY-1", borrowerId="steady", loanAmount=Decimal("20000.00"))
    page = open_page(house)
    sign_in(page, "viewer")
    slow = "GET /v1/projects/demo/apps/kenya/loans?"
    proxy.on(slow, slow_answer(3))
    try:
        page.goto("/apps/kenya/borrowers/steady/")
        below = page.locator("#heading-assessments")
        expect(page.locator("#panel-loans[hx-get]")).to_have_count(1)
        before = below.bounding_box()
        expect(page.locator("#panel-loans a.stretch")).to_have_text("STEADY-1")
        assert below.bounding_box() == before
    finally:
        proxy.on(slow, forward())
