"""The static scripts in a real browser: keys, menus, polling, copying, and one press of Submit."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, Route, expect

PageOf = Callable[[str], Page]

POLLED = """
    const region = document.createElement("div");
    region.id = "polled";
    region.setAttribute("data-poll", "");
    region.setAttribute("hx-get", "/polled");
    region.setAttribute("hx-trigger", "load delay:50ms, poll");
    region.setAttribute("hx-swap", "outerHTML");
    document.querySelector("main").append(region);
    const pause = document.createElement("button");
    pause.setAttribute("data-poll-pause", "");
    pause.textContent = "Pause updates";
    document.querySelector("main").append(pause);
    htmx.process(region);
"""
FRAGMENT = (
    '<div id="polled" data-poll hx-get="/polled" hx-trigger="load delay:50ms, poll"'
    ' hx-swap="outerHTML" data-announce="look {0}">look {0}</div>'
)
FORM = """
    document.querySelector("main").insertAdjacentHTML("beforeend",
      '<form method="post" action="/taken">' +
      '<button type="submit" name="go" value="1">Go</button></form>');
"""
HIDE = "Object.defineProperty(document, 'hidden', {configurable: true, get: () => %s})"


@pytest.fixture
def home(page_of: PageOf) -> Page:
    """The home page of somebody who is signed in."""
    return page_of("support")


class Polling:
    """A region of a page that polls, and how often it asked."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0
        page.route("**/polled", self._answer)
        page.evaluate(POLLED)

    def _answer(self, route: Route) -> None:
        self.count += 1
        route.fulfill(body=FRAGMENT.format(self.count), content_type="text/html")

    def asked_within(self, milliseconds: int) -> int:
        before = self.count
        self.page.wait_for_timeout(milliseconds)
        return self.count - before


@pytest.fixture
def polling(home: Page) -> Iterator[Polling]:
    yield Polling(home)
    home.goto("about:blank")  # it polls no more
    home.unroute("**/polled")


# --- keys ---------------------------------------------------------------------------------


def test_what_is_announced_together_is_sentences(page_of: PageOf) -> None:
    page = page_of("support")
    html = "<p data-announce='You cannot.'></p><p data-announce='Somebody asks'></p>"
    page.route("**/told", lambda route: route.fulfill(body=f"<div>{html}</div>"))
    page.evaluate("htmx.ajax('GET', '/told', {target: 'main', swap: 'beforeend'})")
    expect(page.locator("#announce")).to_have_text("You cannot. Somebody asks")


def test_slash_goes_to_the_find_box(home: Page) -> None:
    home.keyboard.press("/")
    expect(home.locator("#find")).to_be_focused()
    expect(home.locator("#find")).to_have_value("")


def test_what_is_typed_before_the_other_scripts_came_is_searched(home: Page) -> None:
    held: list[Route] = []
    home.route("**/htmx*.js", lambda route: held.append(route))
    home.reload(wait_until="commit")
    expect(home.locator("#find")).to_be_attached()
    for _ in range(600):
        if home.evaluate("Boolean(globalThis.readPressed)"):
            break
        home.wait_for_timeout(50)
    home.keyboard.press("/")
    home.keyboard.type("wanj")
    expect(home.locator("#find")).to_have_value("wanj")
    assert len(held) == 1 and home.evaluate("typeof htmx") == "undefined"
    with home.expect_request("**/find/suggest") as asked:
        held[0].continue_()
    assert "q=wanj" in (asked.value.post_data or "")
    expect(home.locator("#recall")).to_be_visible()


def test_g_and_a_letter_go_to_an_area(home: Page) -> None:
    home.keyboard.press("g")
    home.keyboard.press("b")
    home.wait_for_url("**/borrowers/")


def test_a_letter_alone_goes_nowhere(home: Page) -> None:
    here = home.url
    home.keyboard.press("b")
    home.wait_for_timeout(200)
    assert home.url == here


def test_keys_typed_into_a_field_are_text(home: Page) -> None:
    here = home.url
    home.locator("#find").focus()
    home.keyboard.type("gb?/")
    expect(home.locator("#find")).to_have_value("gb?/")
    expect(home.locator("#keys")).to_be_hidden()
    assert home.url == here


def test_the_question_mark_shows_the_list_and_escape_closes_it(home: Page) -> None:
    home.keyboard.press("?")
    expect(home.locator("#keys")).to_be_visible()
    home.keyboard.press("Escape")
    expect(home.locator("#keys")).to_be_hidden()


def test_the_first_tab_offers_to_skip_the_rail(home: Page) -> None:
    home.keyboard.press("Tab")
    expect(home.locator(".skip")).to_be_focused()
    home.keyboard.press("Enter")
    expect(home.locator("#main")).to_be_focused()


def test_a_menu_closes_on_escape_and_on_a_click_elsewhere(home: Page) -> None:
    person = home.locator(".me details.menu").last
    for leave in (lambda: home.keyboard.press("Escape"), lambda: home.locator("h1").click()):
        person.locator("summary").click()
        expect(person.get_by_role("button", name="Sign out")).to_be_visible()
        leave()
        expect(person.get_by_role("button", name="Sign out")).to_be_hidden()


# --- polling ------------------------------------------------------------------------------


def test_a_region_polls_and_its_changes_are_spoken(polling: Polling) -> None:
    assert polling.asked_within(1000) >= 2
    expect(polling.page.locator("#announce")).to_contain_text("look")


def test_a_hidden_tab_asks_nothing_and_resumes_when_seen(polling: Polling) -> None:
    polling.page.evaluate(HIDE % "true")
    polling.page.wait_for_timeout(300)
    assert polling.asked_within(600) == 0
    polling.page.evaluate(HIDE % "false")
    polling.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert polling.asked_within(600) >= 1


def test_a_person_can_pause_the_updates(polling: Polling) -> None:
    pause = polling.page.locator("[data-poll-pause]").last
    pause.click()
    expect(pause).to_have_attribute("aria-pressed", "true")
    polling.page.wait_for_timeout(300)
    assert polling.asked_within(600) == 0
    pause.click()
    expect(pause).to_have_attribute("aria-pressed", "false")
    assert polling.asked_within(600) >= 1


# --- copying and submitting ---------------------------------------------------------------


def test_a_reference_can_be_copied(home: Page) -> None:
    home.context.grant_permissions(["clipboard-read", "clipboard-write"])
    home.evaluate(
        """document.querySelector("main").insertAdjacentHTML("beforeend",
        '<button type="button" data-copy="ref-7" data-copied="Reference copied">Copy</button>')"""
    )
    home.locator("[data-copy]").click()
    expect(home.locator("#announce")).to_have_text("Reference copied")
    assert home.evaluate("navigator.clipboard.readText()") == "ref-7"


def test_a_double_click_sends_a_form_once_with_its_buttons_name(home: Page) -> None:
    bodies: list[str] = []

    def taken(route: Route) -> None:
        bodies.append(route.request.post_data or "")
        route.fulfill(body="<title>Taken</title>", content_type="text/html")

    home.route("**/taken", taken)
    home.evaluate(FORM)
    home.locator("form[action='/taken'] button").dblclick()
    expect(home).to_have_title("Taken")
    assert bodies == ["go=1"]


def test_coming_back_to_a_page_makes_its_form_usable_again(home: Page) -> None:
    # 204: the page stays as it was left, as when the browser brings it back from its memory.
    home.route("**/taken", lambda route: route.fulfill(status=204))
    home.evaluate(FORM)
    button = home.locator("form[action='/taken'] button")
    button.click()
    expect(button).to_be_disabled()
    home.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    expect(button).to_be_enabled()
    with home.expect_request("**/taken"):
        button.click()


def test_a_press_while_the_first_is_under_way_sends_nothing(home: Page) -> None:
    waiting: list[Route] = []
    home.route("**/taken", lambda route: waiting.append(route))
    home.evaluate(FORM)
    # From inside the page: the driver itself waits while a page is on its way to another.
    home.evaluate(
        """() => {
            const form = document.querySelector("form[action='/taken']");
            const note = () => { sessionStorage.disabled = form.querySelector("button").disabled; };
            setTimeout(() => form.requestSubmit(), 0);
            setTimeout(note, 150);
            setTimeout(() => form.requestSubmit(), 200);
        }"""
    )
    home.wait_for_timeout(600)
    assert len(waiting) == 1
    waiting[0].fulfill(body="<title>Taken</title>", content_type="text/html")
    expect(home).to_have_title("Taken")
    assert home.evaluate("sessionStorage.disabled") == "true"
