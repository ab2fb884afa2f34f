"""By keyboard alone: where the focus goes, that it is seen, and a whole repayment."""

import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.house import PASSWORD, House, sign_in

PageOf = Callable[[str], Page]

# What has the focus: where it stands in the page's order, and whether a person can see it there.
_FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const order = [...document.querySelectorAll("*")];
  const drawn = (style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
    || style.boxShadow !== "none";
  const box = one.getBoundingClientRect();
  const row = one.closest("tr.link");
  return {
    place: order.indexOf(one),
    what: one.outerHTML.slice(0, 90),
    parts: /^(date|time|datetime-local)$/.test(one.type) ? 8 : 0,
    seen: one.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      && box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight
      && box.right > 0 && box.left < innerWidth,
    marked: drawn(getComputedStyle(one)) || drawn(getComputedStyle(one, "::after"))
      || (row !== null && drawn(getComputedStyle(row))),
    covered: !["fixed", "sticky"].includes(getComputedStyle(one).position) && (() => {
      const found = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      const own = document.getElementById(one.getAttribute("aria-describedby") ?? "");
      return found !== null && !one.contains(found) && !found.contains(one)
        && !row?.contains(found) && !own?.contains(found);
    })(),
  };
}"""
_LAST = """() => {
  const able = [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1'])")];
  const shown = (one) => one.checkVisibility() && !one.disabled && one.type !== "hidden";
  return able.filter(shown).length;
}"""
PAGES = {
    "home": "/apps/kenya/",
    "payment box": "/apps/kenya/payment",
    "loans": "/apps/kenya/loans/?pageSize=25",
    "loan": "/apps/kenya/loans/L-K10007/",
    "repayment form": "/apps/kenya/loans/L-K10007/repayments/new",
    "borrower": "/apps/kenya/borrowers/ke-100003/",
    "offers": "/apps/kenya/borrowers/ke-100003/offers/new",
    "find": "/apps/kenya/find",
    "journal": "/apps/kenya/repayments/",
}


def tabbed(page: Page) -> list[str]:
    """Go through the whole page with Tab; what is wrong on the way."""
    wrong: list[str] = []
    before, steps, stays = -1, 0, 0
    at_most = page.evaluate(_LAST) + 5
    while True:
        page.keyboard.press("Tab")
        found = page.evaluate(_FOCUSED)
        if found is None or found["place"] < before:
            break
        steps += found["place"] != before
        if steps > at_most:
            wrong.append(f"the focus does not leave the page: {found['what']}")
            break
        if found["place"] == before:
            stays += 1
            # A date has its parts, and a button that opens a calendar.
            if stays <= found["parts"]:
                continue
            wrong.append(f"the focus stays: {found['what']}")
            break
        wrong += [f"not {what}: {found['what']}" for what in ("seen", "marked") if not found[what]]
        wrong += [f"covered: {found['what']}"] if found["covered"] else []
        before, stays = found["place"], 0
    if steps < 3:
        wrong.append(f"only {steps} stops")
    return wrong


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1280, 390])
def test_tab_goes_through_a_page_in_its_order_and_is_seen(
    name: str, width: int, page_of: PageOf
) -> None:
    page = page_of("manager")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(PAGES[name])
    page.wait_for_load_state("networkidle")
    assert tabbed(page) == []


def test_the_sign_in_too(page: Page) -> None:
    page.goto("/accounts/login/")
    # A page that puts the focus into its first field begins there.
    assert tabbed(page) == []


def tab_to(page: Page, target: Locator, at_most: int = 80) -> None:
    """Press Tab until the target has the focus."""
    expect(target).to_be_visible()
    for _ in range(at_most):
        if target.evaluate("(one) => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never came to {target}")


def test_a_whole_repayment_by_keyboard_alone(page: Page) -> None:
    page.goto("/apps/kenya/")
    tab_to(page, page.locator("input[name=login]"))
    page.keyboard.type("support")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/accounts/" not in url)
    page.keyboard.press("/")
    page.keyboard.type("L-K10011")
    page.keyboard.press("Enter")
    expect(page.locator("nav.crumbs")).to_contain_text("L-K10011")
    tab_to(page, page.locator("main a[data-record]"))
    page.keyboard.press("Enter")
    expect(page.locator("input[name=amount]")).to_be_focused()
    page.keyboard.type("8.25")
    tab_to(page, page.locator("form[data-autosave] button.main"))
    page.keyboard.press("Space")
    expect(page.locator("[data-review]")).to_be_visible()
    expect(page.locator("button[data-action=record]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#status[data-state=recorded]")).to_be_visible()
    expect(page.locator("#announce")).not_to_be_empty()


def test_the_payment_box_leads_to_the_review_by_enter_and_two_tabs(page_of: PageOf) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/")
    page.locator("[data-payment-box] input[name=who]").focus()
    for typed, key in (("L-K10011", "Tab"), ("8.25", "Tab"), ("QWE8XT11", "Enter")):
        page.keyboard.type(typed)
        page.keyboard.press(key)
    page.wait_for_url("**/loans/L-K10011/repayments/*/confirm")
    expect(page.locator("main")).to_contain_text("8.25")
    expect(page.locator("main")).to_contain_text("QWE8XT11")


@pytest.fixture(scope="module")
def indexed(house: House) -> None:
    """The people of the shared house are found by their names, whatever ran before."""
    for command in (["people_index", "--rebuild"], ["reconcile"]):
        line = [sys.executable, "manage.py", *command]
        subprocess.run(line, cwd=BASE_DIR, env=dict(house.environ), check=True)


def test_a_name_of_several_loans_is_chosen_from_and_no_choice_is_made_by_enter(
    page_of: PageOf, indexed: None
) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/payment")
    page.keyboard.type("WANJIRU")
    page.keyboard.press("Tab")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    expect(page.locator("main [autofocus][tabindex='-1']")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main [autofocus][tabindex='-1']")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/confirm")
    expect(page.locator("main")).to_contain_text("12.00")


def test_the_skip_link_leads_past_the_rail_and_on_from_there(page_of: PageOf) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/loans/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


@pytest.mark.parametrize("which", [0, 1], ids=["apps", "person"])
def test_a_menu_opens_and_gives_the_focus_back(page_of: PageOf, which: int) -> None:
    page = page_of("support")
    summary = page.locator(".me details.menu > summary").nth(which)
    tab_to(page, summary)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = "document.activeElement.closest('.menu > div') !== null"
    assert page.evaluate(inside)
    page.keyboard.press("Escape")
    expect(summary).to_be_focused()


def test_the_list_of_keys_holds_the_focus_and_gives_it_back(page_of: PageOf) -> None:
    page = page_of("support")
    link = page.locator(".sidebar a").nth(2)
    link.focus()
    page.keyboard.press("?")
    for _ in range(4):
        page.keyboard.press("Tab")
        assert not page.evaluate("document.activeElement.closest('main, .sidebar, .top') !== null")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    expect(link).to_be_focused()


def test_a_region_that_scrolls_sideways_can_be_scrolled_by_keys(
    page_of: PageOf, house: House
) -> None:
    page = page_of("manager")
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto("/apps/kenya/loans/L-K10011/")
    page.locator("details.calls > summary").click()
    page.locator("details.calls details > summary").first.click()
    region = page.locator("details.calls .scroll[tabindex='0']").first
    expect(region).to_have_accessible_name(re.compile(r"\w"))
    tab_to(page, region)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.activeElement.scrollLeft > 0")


def test_ctrl_k_lists_the_actions_of_the_page_and_filters_them(page_of: PageOf) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/loans/L-K10007/")
    options = page.locator("[role=listbox] [role=option]")
    page.keyboard.press("Control+k")
    expect(page.locator("#find")).to_be_focused()
    actions = page.locator("main .title .actions :is(a, button):visible")
    expect(options.first).to_be_visible()
    all_words = [" ".join(words.split()) for words in actions.all_text_contents()]
    assert set(all_words) <= set(options.all_text_contents())
    recording = page.locator("main .title a[data-record]")
    words = " ".join((recording.text_content() or "").split())
    page.keyboard.type(words.split()[0].upper())
    expect(options).to_have_text([words])
    page.keyboard.press("ArrowDown")
    expect(options.first).to_be_focused()
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.wait_for_url("**/loans/L-K10007/repayments/new")


def test_records_come_first_after_slash_and_actions_after_ctrl_k(page_of: PageOf) -> None:
    page = page_of("support")
    for loan in ("L-K10011", "L-K10007"):
        page.goto(f"/apps/kenya/loans/{loan}/")
    for key, first in (("/", "A"), ("Control+k", "LI"), ("/", "A")):
        page.keyboard.press(key)
        expect(page.locator("#recall a[href]").first).to_be_visible()
        expect(page.locator("#recall [role=option]").first).to_be_visible()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.tagName") == first
        page.locator("#main").focus()
        expect(page.locator("#recall")).to_be_hidden()


def test_typing_on_an_action_goes_on_in_the_box(page_of: PageOf) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/loans/L-K10007/")
    page.keyboard.press("Control+k")
    page.keyboard.press("ArrowDown")
    expect(page.locator("[role=option]").first).to_be_focused()
    page.keyboard.type("?gb")
    expect(page.locator("#find")).to_have_value("?gb")
    expect(page.locator("#keys")).to_be_hidden()
    expect(page.locator("[role=listbox]")).to_be_hidden()


@pytest.mark.parametrize("steps", [0, 1], ids=["box", "action"])
def test_escape_closes_the_actions_and_gives_the_focus_back(page_of: PageOf, steps: int) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/loans/L-K10007/")
    link = page.locator(".sidebar a").nth(2)
    link.focus()
    page.keyboard.press("Control+k")
    expect(page.locator("[role=listbox]")).to_be_visible()
    for _ in range(steps):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(page.locator("[role=listbox]")).to_be_hidden()
    expect(link).to_be_focused()


def test_without_scripts_no_action_and_no_key_is_offered(
    open_page: Callable[..., Page], house: House
) -> None:
    page = open_page(house, java_script_enabled=False)
    sign_in(page, "support", "/apps/kenya/loans/L-K10007/")
    page.locator("#find").focus()
    expect(page.locator("[role=listbox]")).to_be_hidden()
    page.locator(".me details.menu > summary").last.click()
    expect(page.locator("[data-shows-keys]")).to_be_hidden()


def test_g_and_the_letter_of_an_entry_open_it(page_of: PageOf) -> None:
    page = page_of("manager")
    areas = page.locator("#areas > nav").first.locator("a")
    keys = {one.get_attribute("href"): one.get_attribute("data-key") for one in areas.all()}
    assert all(keys.values()) and len(set(keys.values())) == len(keys)
    for address, key in keys.items():
        page.keyboard.press("g")
        page.keyboard.press(key or "")
        page.wait_for_url(f"**{address}")
        page.wait_for_load_state()
    page.keyboard.press("?")
    for key in keys.values():
        expect(
            page.locator("#keys dt", has=page.locator(f"kbd + kbd:text-is('{key}')"))
        ).to_have_count(1)


def test_the_menu_of_the_person_shows_the_keys(page_of: PageOf) -> None:
    page = page_of("support")
    summary = page.locator(".me details.menu > summary").last
    tab_to(page, summary)
    page.keyboard.press("Enter")
    entry = page.locator("[data-shows-keys]")
    expect(entry.locator("kbd")).to_have_text("?")
    tab_to(page, entry)
    page.keyboard.press("Enter")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    expect(summary).to_be_focused()


@pytest.mark.parametrize("width", [390, 320])
def test_the_header_names_the_lender_within_a_phone(page_of: PageOf, width: int) -> None:
    page = page_of("manager")
    page.set_viewport_size({"width": width, "height": 844})
    expect(page.locator(".top [data-lender]")).to_contain_text("Umoja Credit")
    expect(page.locator(".top [data-lender]")).to_contain_text("kenya")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
