"""The switch that pauses updates: found anywhere, said in words, kept until somebody resumes."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.house import PASSWORD, House
from tests.browser.staged import Stage

RUNNING = "/apps/kenya/assessments/A-RUNS/"


class Asked:
    """How often the pages of a session asked how far the assessment is."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0
        page.on("request", self._heard)

    def _heard(self, request: object) -> None:
        self.count += "/status" in request.url  # type: ignore[attr-defined]

    def within(self, milliseconds: int) -> int:
        before = self.count
        self.page.wait_for_timeout(milliseconds)
        return self.count - before


def sit(open_page: Callable[..., Page], stage: Stage, **options: object) -> Page:
    page = open_page(stage.house, **options)
    page.context.add_cookies(stage.cookies("officer"))
    return page


def switch(page: Page) -> None:
    """Use the switch in the person's menu."""
    page.locator(".me details.menu > summary").last.click()
    page.click(".me [data-poll-pause]")
    page.keyboard.press("Escape")


def test_what_is_paused_asks_nothing_until_it_is_resumed(
    open_page: Callable[..., Page], stage: Stage
) -> None:
    page = sit(open_page, stage)
    page.goto("/apps/kenya/loans/")
    told = page.locator("[data-poll-resume]")
    expect(told).to_be_hidden()
    switch(page)
    expect(told).to_be_visible()
    expect(page.locator("#announce")).not_to_be_empty()
    asked = Asked(page)
    page.goto(RUNNING)
    expect(page.locator("#status")).to_contain_text("is running")
    expect(told).to_be_visible()
    for button in page.locator("[data-poll-pause]").all():
        expect(button).to_have_attribute("aria-pressed", "true")
    assert asked.within(3500) == 0
    told.click()
    expect(told).to_be_hidden()
    expect(page.locator(".me summary").first).to_be_focused()
    assert asked.within(3500) >= 1


def test_the_button_beside_what_is_polled_is_the_same_switch(
    open_page: Callable[..., Page], stage: Stage
) -> None:
    page = sit(open_page, stage)
    page.goto(RUNNING)
    beside = page.locator("main [data-poll-pause]")
    beside.click()
    expect(beside).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-poll-resume]")).to_be_visible()
    other = page.context.new_page()
    other.goto("/apps/kenya/")
    expect(other.locator("[data-poll-resume]")).to_be_visible()
    other.locator("[data-poll-resume]").click()
    # The other tab resumed; this one goes on.
    expect(page.locator("[data-poll-resume]")).to_be_hidden()
    expect(beside).to_have_attribute("aria-pressed", "false")


def test_it_ends_with_the_session(open_page: Callable[..., Page], house: House) -> None:
    page = open_page(house)

    def come_in() -> None:
        page.goto("/accounts/login/")
        page.fill("input[name=login]", "viewer")
        page.fill("input[name=password]", PASSWORD)
        page.click("main form [type=submit]")
        page.wait_for_url(lambda url: "/accounts/" not in url)

    come_in()
    switch(page)
    page.locator(".me details.menu > summary").last.click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/accounts/login/**")
    come_in()
    expect(page.locator("[data-poll-resume]")).to_be_hidden()


def test_without_scripts_there_is_no_switch(open_page: Callable[..., Page], stage: Stage) -> None:
    page = sit(open_page, stage, java_script_enabled=False)
    page.goto(RUNNING)
    expect(page.locator("#status")).to_contain_text("is running")
    for button in page.locator("[data-poll-pause], [data-poll-resume]").all():
        expect(button).to_be_hidden()


def test_a_change_of_what_is_polled_is_said_by_the_live_region(
    open_page: Callable[..., Page], stage: Stage
) -> None:
    page = sit(open_page, stage)
    page.goto(RUNNING)
    expect(page.locator("#announce")).to_have_text("The assessment is running")
    # The next answer is that of one that is done.
    done = stage.names["assessment_authorized"]
    page.route(
        "**/assessments/A-RUNS/status**",
        lambda route: route.continue_(url=route.request.url.replace("A-RUNS", done)),
    )
    expect(page.locator("#status")).to_contain_text("authorizes lending", timeout=15_000)
    expect(page.locator("#announce")).not_to_have_text("The assessment is running")
    expect(page.locator("#announce")).to_have_text(re.compile(r"\w"))
    assert page.locator("#announce").get_attribute("role") == "status"
    assert not page.evaluate("document.getElementById('announce').closest('[data-poll]')")
