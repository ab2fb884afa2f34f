"""`j` and `k` go through the rows of every list, and Enter opens the one that has the focus."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import sign_in
from tests.browser.staged import Stage

PageOf = Callable[[str], Page]

LOANS = "/apps/kenya/loans/?pageSize=25"
LISTS = {
    "loans": "/apps/kenya/loans/",
    "borrowers": "/apps/kenya/borrowers/",
    "assessments": "/apps/kenya/assessments/",
    "events": "/apps/kenya/events/",
    "journal": "/apps/kenya/repayments/",
    "needs checking": "/apps/kenya/repayments/unknown/",
    "loans behind a figure": "/apps/kenya/loans/lists/?count={count}&show=figure-par1",
    "products": "/products/",
    "assessment types": "/assessment-types/",
    "found people": "/apps/kenya/find/for/{search_people}",
    "audit trail": "/audit/",
    "panel of loans": "/apps/kenya/borrowers/{borrower}/panels/loans",
    "panel of assessments": "/apps/kenya/borrowers/{offered_to}/panels/assessments",
}
# Whether what has the focus stands in view, below the head of its table, and is seen to have it.
_SEEN = """() => {
  const one = document.activeElement, row = one.closest("tr, li");
  const box = one.getBoundingClientRect();
  const drawn = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const head = one.closest("table")?.tHead?.querySelector("th").getBoundingClientRect();
  return row !== null && one.matches("a[href]:focus-visible")
    && (drawn(getComputedStyle(one)) || drawn(getComputedStyle(one, "::after")))
    && box.top >= Math.max(0, head?.bottom ?? 0) && box.bottom <= innerHeight;
}"""


def links(page: Page) -> Locator:
    """The links of the rows of the first table."""
    return page.locator("main table.rows").first.locator("tbody a.stretch")


def test_through_the_loans_and_into_one(page_of: PageOf) -> None:
    page = page_of("viewer")
    page.goto(LOANS)
    page.keyboard.press("j")
    expect(links(page).nth(0)).to_be_focused()
    page.keyboard.press("k")
    expect(links(page).nth(0)).to_be_focused()
    for _ in range(30):
        page.keyboard.press("j")
        assert page.evaluate(_SEEN)
    expect(links(page).nth(24)).to_be_focused()
    for _ in range(20):
        page.keyboard.press("k")
        assert page.evaluate(_SEEN)
    expect(links(page).nth(4)).to_be_focused()
    # From another link of a row, it goes on from that row.
    page.locator("main tbody tr").nth(6).locator("a.id").last.focus()
    page.keyboard.press("j")
    expect(links(page).nth(7)).to_be_focused()
    account = links(page).nth(7).inner_text()
    page.keyboard.press("Enter")
    expect(page.locator("nav.crumbs")).to_contain_text(account)


def test_the_first_key_goes_to_the_first_row_in_view(page_of: PageOf) -> None:
    page = page_of("viewer")
    page.goto(LOANS)
    page.evaluate("scrollTo(0, 700)")
    head = page.locator("thead th").first.bounding_box()
    places = [link.bounding_box() for link in links(page).all()]
    assert head
    # A table that scrolls in its card has no head that stays in view.
    top = max(0, head["y"] + head["height"])
    first = next(at for at, place in enumerate(places) if place and place["y"] >= top)
    assert first > 3
    page.keyboard.press("j")
    assert page.evaluate(_SEEN)
    names = links(page).all_inner_texts()
    assert names.index(page.evaluate("document.activeElement.innerText")) == first


def test_other_keys_are_left_alone(page_of: PageOf) -> None:
    page = page_of("viewer")
    page.goto(LOANS)
    page.click("details:has(input[name=accountId]) > summary")
    filter_field = page.locator("input[name=accountId]")
    filter_field.focus()
    page.keyboard.type("jk")
    expect(filter_field).to_have_value("jk")
    page.locator("h1").click()
    for key in ("g", "j", "Shift+J", "Alt+j"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.closest('tr') === null")
    page.keyboard.press("?")
    expect(page.locator("#keys[open]")).to_be_visible()
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('#keys') !== null")


def test_within_the_table_that_has_the_focus_after_htmx_has_loaded_it(
    page_of: PageOf, stage: Stage, open_page: Callable[..., Page]
) -> None:
    page = open_page(stage.house)
    sign_in(page, "manager")
    page.goto(f"/apps/kenya/borrowers/{stage.names['borrower']}/")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("j")
    loans = page.locator("#panel-loans tbody a.stretch")
    expect(loans.first).to_be_focused()
    page.locator("#panel-loans header a[hx-get]").click()
    page.wait_for_load_state("networkidle")
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.keyboard.press("j")
    expect(loans.first).to_be_focused()
    events = page.locator("#panel-events tbody a.stretch")
    events.first.focus()
    page.keyboard.press("j")
    expect(events.nth(1)).to_be_focused()


@pytest.mark.parametrize("width", [1280, 390])
def test_every_list_has_rows_to_go_through(
    stage: Stage, open_page: Callable[..., Page], width: int
) -> None:
    page = open_page(stage.house, width=width)
    sign_in(page, "manager")
    for name, address in LISTS.items():
        page.goto(address.format_map(stage.names))
        page.wait_for_load_state("networkidle")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("j")
        assert page.evaluate(_SEEN), name
        first = page.evaluate("document.activeElement.href")
        page.keyboard.press("j")
        assert page.evaluate(_SEEN), name
        page.keyboard.press("k")
        assert page.evaluate("document.activeElement.href") == first, name
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(re.escape(first.partition("#")[0].partition("?")[0])))


def test_keys_of_other_layouts_and_none_for_who_switched_them_off(page_of: PageOf) -> None:
    page = page_of("viewer")
    page.goto(LOANS)
    press = (
        "of => document.body.dispatchEvent(new KeyboardEvent('keydown', {...of, bubbles: true}))"
    )
    page.evaluate(press, {"key": "о", "code": "KeyJ"})
    expect(links(page).first).to_be_focused()
    # A Latin letter counts, wherever it stands.
    page.evaluate(press, {"key": "j", "code": "KeyC"})
    expect(links(page).nth(1)).to_be_focused()
    page.evaluate("document.body.dataset.keys = 'off'")
    page.keyboard.press("j")
    expect(links(page).nth(1)).to_be_focused()
