"""What is around every page: the areas on a phone, a page that is slow, a form that came back."""

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.house import House, WeakHouse, sign_in
from tests.faults.behaviours import slow_answer

# Playwright asks a page nothing while it leaves; so the page notes by itself what it showed.
_NOTE = """
addEventListener("click", () => sessionStorage.setItem("clicked", Date.now()), { capture: true });
new MutationObserver(() => {
  if ("waiting" in document.documentElement.dataset)
    sessionStorage.setItem("told", Date.now());
}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-waiting"] });
"""


def test_on_a_phone_the_areas_open_from_a_button(
    open_page: Callable[..., Page], house: House
) -> None:
    page = open_page(house, width=390)
    sign_in(page, "manager")
    areas = page.locator(".sidebar nav")
    expect(areas).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(areas).to_be_visible()
    page.keyboard.press("Escape")
    expect(areas).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    areas.locator("a[href='/apps/kenya/loans/']").click()
    page.wait_for_url("**/apps/kenya/loans/")
    expect(areas).to_be_hidden()


def test_where_there_is_room_the_areas_need_no_button(
    open_page: Callable[..., Page], house: House
) -> None:
    page = open_page(house, width=1024)
    sign_in(page, "manager")
    expect(page.locator(".sidebar a[href$='/assessment-types/']")).to_be_visible()
    expect(page.get_by_role("button", name="Menu")).to_be_hidden()


def test_a_slow_page_says_so_before_it_comes(
    open_page: Callable[..., Page], weak_house: WeakHouse
) -> None:
    house, proxy = weak_house
    page = open_page(house)
    page.add_init_script(_NOTE)
    sign_in(page, "viewer", "/apps/kenya/loans/")
    proxy.once("GET /v1/projects/demo/apps/kenya/borrowers?", slow_answer(2))
    page.click(".sidebar a[href='/apps/kenya/borrowers/']")
    page.wait_for_url("**/apps/kenya/borrowers/")
    told, clicked = (
        page.evaluate(f"Number(sessionStorage.{name})") for name in ("told", "clicked")
    )
    # 300 ms on a machine with nothing else to do; the service takes 2,000.
    assert 0 < told - clicked < 1500
    expect(page.locator("html[data-waiting]")).to_have_count(0)


def test_a_form_that_came_back_begins_where_it_went_wrong(page_of: Callable[[str], Page]) -> None:
    page = page_of("manager")
    page.goto("/apps/kenya/loans/L-K10007/repayments/new")
    page.fill("input[name=amount]", "three")
    page.locator("main form button[type=submit]").first.click()
    expect(page.locator("input[name=amount]")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("input[name=amount]")).to_be_focused()


def test_whoever_types_already_stays_in_their_field(page_of: Callable[[str], Page]) -> None:
    page = page_of("manager")
    page.goto("/apps/kenya/loans/L-K10007/repayments/new")
    page.fill("input[name=amount]", "three")
    held: list[Route] = []
    page.route("**/page*.js", lambda route: held.append(route))
    page.locator("main form button[type=submit]").first.click(no_wait_after=True)
    page.wait_for_selector("input[name=amount][aria-invalid=true]")
    page.locator("input[name=externalId]").click()
    page.keyboard.type("QK7")
    held[0].continue_()
    page.wait_for_load_state()
    page.keyboard.type("X42")
    expect(page.locator("input[name=externalId]")).to_have_value("QK7X42")


def test_signing_in_begins_with_the_name(open_page: Callable[..., Page], house: House) -> None:
    page = open_page(house, width=1920)
    page.goto("/accounts/login/")
    expect(page.locator("input[name=login]")).to_be_focused()
    card = page.locator(".entrance > .card").bounding_box()
    assert card and abs(card["x"] + card["width"] / 2 - 960) <= 10
