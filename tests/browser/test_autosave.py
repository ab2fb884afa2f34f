"""Nothing typed is lost to a refresh, nor to a session that ended."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import Console
from tests.browser.house import PASSWORD

FORM = "/apps/kenya/loans/L-K10003/repayments/new"


def open_more(page: Page) -> None:
    """Unfold the fields that are rarely changed, unless something typed before did."""
    more = page.locator("main details", has=page.locator("summary", has_text="value date"))
    if more.get_attribute("open") is None:
        more.locator("summary").click()


def fill_in(page: Page) -> None:
    page.fill("[name=amount]", "250.00")
    page.fill("[name=externalId]", "MPESA-typed")
    page.check("[name=channel][value=web]")
    open_more(page)
    with page.expect_response("**/autosave") as kept:
        page.fill("[name=notes]", "brought by her sister")
    assert kept.value.status == 204


def stands(page: Page) -> None:
    expect(page.locator("[name=amount]")).to_have_value("250.00")
    expect(page.locator("[name=externalId]")).to_have_value("MPESA-typed")
    expect(page.locator("[name=notes]")).to_be_visible()
    expect(page.locator("[name=notes]")).to_have_value("brought by her sister")
    expect(page.locator("[name=channel][value=web]")).to_be_checked()


def test_who_leaves_in_the_middle_of_a_word_leaves_no_address_behind(
    page_of: Callable[[str], Page],
) -> None:
    page = page_of("support")
    page.goto(FORM)
    open_more(page)
    page.fill("[name=notes]", "brought by")
    page.goto("/glossary/")
    left = page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")
    assert "autosave" in left
    assert "L-K10003" not in left and "loans" not in left and "brought" not in left
    page.goto(FORM)
    expect(page.locator("[name=notes]")).to_have_value("brought by")


def test_a_refresh_in_the_middle_of_a_form(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    page.reload()
    stands(page)
    expect(page.locator(".autosave")).to_contain_text("is here again.")
    expect(page.locator("[role=status]")).to_contain_text("is here again.")

    # What was typed in the very moment of the refresh is not lost either.
    page.fill("[name=amount]", "251.00")
    page.reload()
    expect(page.locator("[name=amount]")).to_have_value("251.00")

    page.fill("[name=amount]", "250.00")
    page.click("button:has-text('Review')")
    page.wait_for_url("**/confirm")
    page.goto(FORM)
    expect(page.locator("[name=amount]")).to_have_value("")
    expect(page.locator(".autosave")).to_have_count(0)


def test_start_afresh(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(FORM)
    at_first = page.locator("[name=transactionDate]").input_value()
    fill_in(page)
    page.reload()
    stands(page)
    with page.expect_response("**/autosave"):
        page.click(".autosave button")
    expect(page.locator("[name=amount]")).to_have_value("")
    expect(page.locator("[name=amount]")).to_be_focused()
    expect(page.locator("[name=transactionDate]")).to_have_value(at_first)
    page.reload()
    expect(page.locator("[name=amount]")).to_have_value("")
    expect(page.locator(".autosave")).to_have_count(0)


def test_a_session_that_ends_meanwhile(page_of: Callable[[str], Page], console: Console) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    cookies = [one for one in page.context.cookies() if one["name"] == "sessionid"]
    page.context.clear_cookies(name="sessionid")
    page.fill("[name=amount]", "260.00")
    expect(page.locator(".autosave")).to_contain_text("You are signed out")
    # Sending it would lead to the sign-in page, and lose it.
    page.click("button:has-text('Review')")
    expect(page.locator("[name=amount]")).to_have_value("260.00")

    with page.context.expect_page() as opened:
        page.click(".autosave a")
    tab = opened.value
    tab.fill("input[name=login]", "support")
    tab.fill("input[name=password]", PASSWORD)
    tab.click("main form [type=submit]")
    tab.wait_for_url(lambda url: "/accounts/login" not in url)
    tab.close()
    assert cookies
    page.click("button:has-text('Review')")
    page.wait_for_url("**/confirm")
    expect(page.locator("h1")).to_contain_text("260.00")


def test_after_signing_in_again_the_form_is_as_it_was_left(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    page.context.clear_cookies(name="sessionid")
    page.reload()
    page.fill("input[name=login]", "support")
    page.fill("input[name=password]", PASSWORD)
    page.click("main form [type=submit]")
    page.wait_for_url("**" + FORM)
    stands(page)
    page.click(".autosave button")
