"""The way in, as a person goes it; the console stays silent under the CSP."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import PASSWORD, House, sign_in

ROLES = ("viewer", "officer", "support", "manager")


def test_a_stranger_is_asked_to_sign_in(page: Page) -> None:
    page.goto("/apps/kenya/loans/")
    expect(page).to_have_url(re.compile(r"/accounts/login/"))
    expect(page.locator("input[name=password]")).to_be_visible()


@pytest.mark.parametrize("role", ROLES)
def test_each_person_of_the_demo_comes_in(role: str, page: Page) -> None:
    sign_in(page, role)
    expect(page).to_have_url(re.compile(r"/apps/kenya/$"))


def test_a_wrong_password_is_told_and_the_name_is_kept(page: Page) -> None:
    page.goto("/accounts/login/")
    page.fill("input[name=login]", "support")
    page.fill("input[name=password]", PASSWORD + "?")
    page.click("main form [type=submit]")
    expect(page.locator("main")).to_contain_text("not correct")
    expect(page.locator("input[name=login]")).to_have_value("support")


def test_the_page_asked_for_is_the_one_that_opens(page: Page) -> None:
    page.goto("/apps/ghana/loans/")
    page.fill("input[name=login]", "viewer")
    page.fill("input[name=password]", PASSWORD)
    page.click("main form [type=submit]")
    expect(page).to_have_url(re.compile(r"/apps/ghana/loans/$"))


def test_it_fits_a_phone(open_page: Callable[..., Page], house: House) -> None:
    page = open_page(house, width=390)
    page.goto("/accounts/login/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
