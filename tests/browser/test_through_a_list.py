"""From loan to loan through a page of a filtered list, and back to the row."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

LISTED = "/apps/kenya/loans/?status=2&pageSize=25"


def test_next_to_the_end_of_the_page_and_back_to_the_row(page_of: Callable[[str], Page]) -> None:
    page = page_of("viewer")
    page.goto(LISTED)
    links = page.locator("tbody a.stretch")
    names = links.all_inner_texts()
    assert len(names) == 25
    links.nth(23).click()
    beside = page.locator("nav.beside")
    expect(page.locator("nav.crumbs")).to_contain_text(names[23])
    expect(beside).to_contain_text("24 of 25 on this page")
    beside.get_by_role("link", name="Next").click()
    expect(page.locator("nav.crumbs")).to_contain_text(names[24])
    expect(beside).to_contain_text("25 of 25 on this page")
    expect(beside.get_by_role("link", name="Next")).to_have_count(0)
    # By keyboard.
    page.keyboard.press("g")
    page.keyboard.press("k")
    expect(beside).to_contain_text("24 of 25 on this page")
    page.keyboard.press("g")
    page.keyboard.press("j")
    expect(page.locator("nav.crumbs")).to_contain_text(names[24])

    beside.get_by_role("link", name="Back to the list").click()
    expect(page.locator("select[name=status]")).to_have_value("2")
    row = page.locator("tbody a.stretch:target")
    expect(row).to_have_text(names[24])
    expect(row).to_be_focused()


def test_the_row_that_one_comes_back_to_is_not_below_the_table_s_head(
    page_of: Callable[[str], Page],
) -> None:
    page = page_of("viewer")
    page.goto("/apps/kenya/loans/")
    row = page.locator("tbody a.stretch").nth(30)
    account = row.inner_text()
    row.click()
    expect(page.locator("nav.beside")).to_contain_text("31 of 50 on this page")
    page.locator(".crumbs a").first.click()
    row = page.locator("tbody a.stretch:target")
    expect(row).to_have_text(account)
    expect(row).to_be_in_viewport()
    head, place = page.locator("thead th").first.bounding_box(), row.bounding_box()
    assert head and place
    assert place["y"] >= head["y"] + head["height"]
    marked, other = page.locator("tr:has(a:target) > th"), page.locator("tbody th").first
    ground = "node => getComputedStyle(node).backgroundColor"
    assert marked.evaluate(ground) != other.evaluate(ground)


def test_a_key_of_a_list_does_nothing_while_one_types(page_of: Callable[[str], Page]) -> None:
    page = page_of("viewer")
    page.goto("/apps/kenya/loans/")
    page.locator("tbody a.stretch").first.click()
    expect(page.locator("nav.beside")).to_contain_text(re.compile("1 of 50"))
    here = page.url
    page.locator("#find").focus()
    page.keyboard.type("gj")
    assert page.url == here
    expect(page.locator("#find")).to_have_value("gj")
