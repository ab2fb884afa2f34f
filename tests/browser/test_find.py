"""Finding while the service is slow, and what was opened last below the find box."""

import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.house import House, WeakHouse, sign_in
from tests.faults.behaviours import refusal, slow_answer
from tests.sandbox.calling import Caller


def find(page: Page, wanted: str) -> None:
    page.keyboard.press("/")
    page.keyboard.type(wanted)
    page.keyboard.press("Enter")


def test_what_is_there_is_shown_while_the_rest_is_looked_for(
    weak_house: WeakHouse, open_page: Callable[..., Page]
) -> None:
    proxy, key = weak_house.proxy, "L-K10012"
    proxy.on(f"/borrowers/{key}", slow_answer(4))
    proxy.on(f"/assessments/{key}", slow_answer(6))
    page = open_page(weak_house.house)
    sign_in(page, "viewer", "/apps/kenya/borrowers/")
    find(page, key)
    match = page.locator("#found a[data-match]")
    expect(match).to_have_text(key)
    told = page.locator("#find-told")
    expect(told).to_have_text("Searching…")
    expect(page.locator("#found li.pending")).to_have_count(2)
    expect(page.locator("#found li[data-look=none]")).to_have_count(1)
    expect(page.locator("#found li.pending")).to_have_count(1)
    expect(told).to_have_text("1 match.")
    expect(page.locator("[role=status]")).to_have_text("1 match.")
    expect(match).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("nav.crumbs")).to_contain_text(key)


def test_could_not_look_offers_another_look_in_its_place(
    weak_house: WeakHouse, open_page: Callable[..., Page]
) -> None:
    proxy, key = weak_house.proxy, "nobody-at-home"
    proxy.on(f"/loans/{key}", refusal(500, "down"))
    page = open_page(weak_house.house)
    sign_in(page, "viewer", "/apps/kenya/")
    find(page, key)
    expect(page.locator("#found li[data-look=fault]")).to_be_visible()
    expect(page.locator("#found li.pending")).to_have_count(0)
    proxy.on(f"/loans/{key}", refusal(404, "no longer has this loan"))
    page.click("#found li[data-look=fault] a[hx-get]")
    expect(page.locator("#found li[data-look=none]")).to_have_count(3)


def test_what_was_opened_last_is_below_the_box_by_keyboard(
    page_of: Callable[[str], Page], house: House
) -> None:
    page = page_of("viewer")
    for loan in ("L-K10001", "L-K10002"):
        page.goto(f"/apps/kenya/loans/{loan}/")
        expect(page.locator("nav.crumbs")).to_contain_text(loan)
    page.goto("/apps/kenya/loans/")
    panel = page.locator("#recall")
    expect(panel).to_be_hidden()
    before = page.locator("main h1").bounding_box()
    page.keyboard.press("/")
    expect(panel.locator("a").first).to_have_text("L-K10002")
    assert page.locator("main h1").bounding_box() == before
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(panel.locator("a").nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("/")
    expect(panel).to_be_visible()
    panel.locator("a").nth(1).click()
    expect(page.locator("nav.crumbs")).to_contain_text("L-K10001")


@pytest.fixture(scope="module")
def namesakes(house: House) -> list[str]:
    """Four borrowers of one name in the shared house, whose phones end in 1 to 4; all indexed."""
    sandbox: Any = SimpleNamespace(base_url=house.sandbox, auth_url=house.sandbox)
    caller, keys = Caller(sandbox, "kenya"), []
    for ending in (1, 2, 3, 4):
        person = {"surname": "Ñyambura", "othernames": "Zipporah"}
        person["phoneNumber"] = f"+25479900000{ending}"
        keys.append(caller.borrower(f"namesake-{ending}", individual=person)["borrowerId"])
    command = [sys.executable, "manage.py", "people_index", "--rebuild"]
    subprocess.run(command, cwd=BASE_DIR, env=dict(house.environ), check=True)
    command = [sys.executable, "manage.py", "reconcile"]
    subprocess.run(command, cwd=BASE_DIR, env=dict(house.environ), check=True)
    return keys


def test_the_right_one_of_four_namesakes_by_keyboard_alone(
    page_of: Callable[[str], Page], namesakes: list[str]
) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/")
    page.keyboard.press("Control+k")
    page.keyboard.type("ziporah nyambura")
    suggestions = page.locator("#suggestions a[data-match]")
    expect(suggestions).to_have_count(4)
    page.keyboard.type(" 3")
    expect(suggestions).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(suggestions.first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/borrowers/{namesakes[2]}/")
    expect(page.locator("h1")).to_contain_text("ZIPPORAH")
    assert "zip" not in page.url.lower()


def test_enter_shows_all_of_a_name_and_enter_again_opens_the_best(
    page_of: Callable[[str], Page], namesakes: list[str]
) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/loans/")
    find(page, "zipporah")
    expect(page.locator("main [data-people] a[data-match]")).to_have_count(4)
    expect(page.locator("#find-told")).to_have_text("4 matches.")
    assert "zip" not in page.url.lower()
    expect(page.locator("main [data-people] a[data-match]").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/borrowers/namesake-*/")
    page.go_back()
    expect(page.locator("main [data-people] a[data-match]")).to_have_count(4)
