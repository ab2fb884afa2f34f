"""Nothing typed is lost to a refresh, nor to a session that ended."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import Console
from tests.browser.house import PASSWORD

FORM = "/apps/kenya/loans/L-K10003/repayments/new"


def open_more(page: Page) -> None:
    """Unfold the fields that are rarely changed, unless something typed before did."""
    more = page.locator("main details:has(textarea[name=notes])")
    if more.get_attribute("open") is None:
        more.locator("summary").click()


def fill_in(page: Page) -> None:
    page.fill("[name=amount]", "250.00")
    page.fill("[name=externalId]", "MPESA-typed")
    page.check("[name=channel][value=web]")
    open_more(page)
    page.fill("[name=notes]", "brought by her sister")


def find_kept(page: Page) -> list[str]:
    """The keys under which the tab keeps what was typed."""
    keys: list[str] = page.evaluate("Object.keys(sessionStorage)")
    return [key for key in keys if re.fullmatch(r"autosave-[0-9a-f]{64}", key)]


def stands(page: Page) -> None:
    expect(page.locator("[name=amount]")).to_have_value("250.00")
    expect(page.locator("[name=externalId]")).to_have_value("MPESA-typed")
    expect(page.locator("[name=notes]")).to_be_visible()
    expect(page.locator("[name=notes]")).to_have_value("brought by her sister")
    expect(page.locator("[name=channel][value=web]")).to_be_checked()


def test_who_leaves_in_the_middle_of_a_word_finds_it_again(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(FORM)
    open_more(page)
    page.fill("[name=notes]", "brought by")
    page.goto("/glossary/")
    assert len(find_kept(page)) == 1
    keys = page.evaluate("[...Object.keys(sessionStorage), ...Object.keys(localStorage)].join()")
    assert "L-K10003" not in keys and "loans" not in keys
    page.goto(FORM)
    expect(page.locator("[name=notes]")).to_have_value("brought by")


def test_a_password_is_not_kept(page_of: Callable[[str], Page]) -> None:
    page = page_of("manager")
    page.goto("/people/new")
    page.fill("[name=first_name]", "Amina")
    page.evaluate(
        """() => {
          const form = document.querySelector("form[data-autosave]");
          for (const [type, name] of [["password", "again"], ["text", "api_secret"]]) {
            form.append(Object.assign(document.createElement("input"), { type, name }));
          }
        }"""
    )
    page.locator("[name=again]").fill("Correct-horse-7")
    page.locator("[name=api_secret]").fill("Battery-staple-8")
    left = page.evaluate("JSON.stringify({...sessionStorage})")
    assert "Amina" in left
    assert "Correct-horse" not in left and "Battery-staple" not in left


def test_a_refresh_in_the_middle_of_a_form(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    page.reload()
    stands(page)
    words = page.locator(".autosave span").inner_text()
    expect(page.locator("#announce")).to_have_text(words)

    # What was typed in the very moment of the refresh is not lost either.
    page.fill("[name=amount]", "251.00")
    page.reload()
    expect(page.locator("[name=amount]")).to_have_value("251.00")

    page.fill("[name=amount]", "250.00")
    page.click("form[data-autosave] button.main")
    page.wait_for_url("**/confirm")
    page.goto(FORM)
    expect(page.locator("[name=amount]")).to_have_value("")
    expect(page.locator(".autosave")).to_have_count(0)


def test_back_from_the_review_finds_the_form_as_it_was_sent(
    page_of: Callable[[str], Page],
) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/loans/L-K10003/")
    page.goto(FORM)
    fill_in(page)
    page.click("form[data-autosave] button.main")
    page.wait_for_url("**/confirm")
    page.reload()
    page.go_back()
    stands(page)
    page.click("form[data-autosave] button.main")
    page.wait_for_url("**/confirm")
    page.click("[data-action=record]")
    page.wait_for_url("**/repayments/*/")
    assert find_kept(page) == []


def test_back_from_the_review_finds_the_payment_box_as_it_was_sent(
    page_of: Callable[[str], Page],
) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/")
    box = page.locator("[data-payment-box]")
    typed = {"who": "L-K10003", "amount": "250.00", "externalId": "MPESA-typed"}
    for name, text in typed.items():
        box.locator(f"[name={name}]").fill(text)
    box.locator("button.main").click()
    page.wait_for_url("**/confirm")
    page.go_back()
    for name, text in typed.items():
        expect(box.locator(f"[name={name}]")).to_have_value(text)


def test_start_afresh(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(FORM)
    at_first = page.locator("[name=transactionDate]").input_value()
    fill_in(page)
    page.reload()
    stands(page)
    page.click(".autosave button")
    expect(page.locator("[name=amount]")).to_have_value("")
    expect(page.locator("[name=amount]")).to_be_focused()
    expect(page.locator("[name=transactionDate]")).to_have_value(at_first)
    page.reload()
    expect(page.locator("[name=amount]")).to_have_value("")
    expect(page.locator(".autosave")).to_have_count(0)


def sign_in(page: Page) -> None:
    page.fill("input[name=login]", "support")
    page.fill("input[name=password]", PASSWORD)
    page.click("main form [type=submit]")


def test_a_form_shown_again_with_what_is_wrong_keeps_what_was_typed(
    page_of: Callable[[str], Page],
) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    page.fill("[name=amount]", "-1")
    page.click("form[data-autosave] button.main")
    expect(page.locator("[name=amount]")).to_have_attribute("aria-invalid", "true")
    page.fill("[name=amount]", "250.00")
    page.goto(FORM)
    stands(page)


def test_a_session_that_ends_meanwhile(page_of: Callable[[str], Page], console: Console) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    page.context.clear_cookies(name="sessionid")
    page.click("form[data-autosave] button.main")
    sign_in(page)
    page.wait_for_url("**" + FORM)
    stands(page)
    page.click("form[data-autosave] button.main")
    page.wait_for_url("**/confirm")
    expect(page.locator("h1")).to_contain_text("250.00")


def test_signing_in_again_in_another_tab(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    page.context.clear_cookies()
    tab = page.context.new_page()
    tab.goto("/accounts/login/")
    sign_in(tab)
    tab.wait_for_url(lambda url: "/accounts/login" not in url)
    tab.close()
    page.click("form[data-autosave] button.main")
    page.wait_for_url("**/confirm")


def test_a_form_that_got_no_answer_is_kept(
    page_of: Callable[[str], Page], console: Console
) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    console.allow(r"503 \(Service Unavailable\)|favicon")
    page.route("**" + FORM, lambda route: route.fulfill(status=503, body="<p>gone</p>"), times=1)
    page.click("form[data-autosave] button.main")
    expect(page.locator("p")).to_have_text("gone")

    page.goto(FORM)
    stands(page)


def test_signing_out_forgets_it(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    page.goto("/accounts/logout/")
    page.click("main form [type=submit]")
    page.wait_for_url("**/accounts/login/**")
    assert find_kept(page) == []


def test_after_signing_in_again_the_form_is_as_it_was_left(page_of: Callable[[str], Page]) -> None:
    page = page_of("support")
    page.goto(FORM)
    fill_in(page)
    page.context.clear_cookies(name="sessionid")
    page.reload()
    sign_in(page)
    page.wait_for_url("**" + FORM)
    stands(page)
    page.click(".autosave button")
