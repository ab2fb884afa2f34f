"""`n` writes a note, which is kept while it is typed; a pinned one stands beside the review."""

import re
from collections.abc import Callable
from itertools import count

import pytest
from playwright.sync_api import Page, expect

PageOf = Callable[[str], Page]
LOAN = "/apps/kenya/loans/L-K10011/"
_numbers = count(1)


def write(page: Page, text: str, *, pin: bool = False) -> None:
    page.keyboard.press("n")
    page.wait_for_url(re.compile("/notes/new$"))
    expect(page.locator("textarea[name=text]")).to_be_focused()
    page.keyboard.type(text)
    if pin:
        page.locator("input[name=is_pinned]").check()
    page.click("form[data-autosave] button.main")
    page.wait_for_url(re.compile("/timeline/$"))


@pytest.mark.parametrize("end", ["", "timeline/"])
def test_n_writes_a_note_on_the_record_of_the_page(page_of: PageOf, end: str) -> None:
    page = page_of("support")
    page.goto(f"{LOAN}{end}")
    text = f"Asked for a call, number {next(_numbers)}"
    write(page, text)
    expect(page.locator("main .timeline")).to_contain_text(text)


def test_n_is_in_the_list_of_keys_and_a_letter_while_typing(page_of: PageOf) -> None:
    page = page_of("support")
    page.goto(LOAN)
    page.keyboard.press("?")
    expect(page.locator("#keys[open] [data-notes]")).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    page.locator("#find").focus()
    page.keyboard.type("n")
    assert page.url.endswith(LOAN)


def test_who_writes_none_has_no_such_key(page_of: PageOf) -> None:
    page = page_of("viewer")
    page.goto(LOAN)
    page.keyboard.press("n")
    page.keyboard.press("?")
    expect(page.locator("#keys[open]")).to_be_visible()
    expect(page.locator("#keys [data-notes]")).to_have_count(0)
    assert page.url.endswith(LOAN)


def test_what_is_typed_is_there_again_after_a_refresh(page_of: PageOf) -> None:
    page = page_of("support")
    page.goto(f"{LOAN}notes/new")
    page.locator("textarea[name=text]").fill("Half a sentence of Zebrafink")
    page.reload()
    expect(page.locator("textarea[name=text]")).to_have_value("Half a sentence of Zebrafink")


def test_a_pinned_note_stands_on_the_loan_and_beside_the_review(page_of: PageOf) -> None:
    page = page_of("support")
    page.goto(LOAN)
    text = f"Pays by his brother's phone, number {next(_numbers)}"
    write(page, text, pin=True)
    page.goto(LOAN)
    expect(page.locator("main")).to_contain_text(text)
    page.keyboard.press("p")
    page.wait_for_url(re.compile("/repayments/new"))
    page.locator("input[name=amount]").fill("10")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/confirm"))
    expect(page.locator("section[aria-labelledby=pinned-title]")).to_contain_text(text)
    page.goto(LOAN)
    row = page.locator("li", has_text=text)
    row.locator("a[href*='/notes/']").click()
    page.click("button[name=pin]")
    expect(page.locator("button[name=pin]")).to_have_attribute("value", "on")
    page.goto(LOAN)
    expect(page.locator("main")).not_to_contain_text(text)
