"""What must be done on a page before it is in the state that the map means."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.template import Context, Engine
from playwright.sync_api import Page

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.house import PASSWORD

Names = dict[str, Any]
Step = Callable[[Page, Names], None]


def _press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()


def press(name: str) -> Step:
    """Press this button, of a form as it stands there."""
    return lambda page, names: _press(page, name)


def ask_for_days_to_come(page: Page, names: Names) -> None:
    page.fill("[name=firstDay]", "2999-01-01")
    _press(page, "Statement of account")


def press_print_of_papers(page: Page, names: Names) -> None:
    page.locator("main form[action$='/print'] button").click()


def submit(page: Page, names: Names) -> None:
    page.locator("main form [type=submit]").last.click()


def record_loan_wrongly(page: Page, names: Names) -> None:
    page.get_by_text("record a loan from another system").click()
    _press(page, "Record loan")


def note_call_wrongly(page: Page, names: Names) -> None:
    """Take the next of a queue, and note a promise of nothing."""
    _press(page, "Next")
    page.wait_for_url("**/calls/**")
    page.keyboard.press("p")
    page.fill("[name=amount]", "")
    _press(page, "Save and next")


def change_hours_wrongly(page: Page, names: Names) -> None:
    """A Monday that ends before it begins."""
    page.fill("[name=hours0_begin]", "18:00")
    page.fill("[name=hours0_end]", "08:00")
    page.fill("[name=reason]", "Hours of the new licence.")
    press("Save")(page, names)


def give_back_wrongly(page: Page, names: Names) -> None:
    """Type a sheet of which one amount can't be read, and count less than it makes."""
    page.fill("[name=row-1]", "500")
    page.fill("[name=row-2]", "5oo")
    _press(page, "Save the amounts")
    page.fill("[name=row-2]", "250")
    page.fill("[name=counted]", "700")
    _press(page, "Save the amounts")


def _sign_in(page: Page, name: str, password: str) -> None:
    page.fill("input[name=login]", name)
    page.fill("input[name=password]", password)
    page.click("main form [type=submit]")


def sign_in_wrongly(page: Page, names: Names) -> None:
    _sign_in(page, f"stranger-{datetime.now(UTC):%H%M%S%f}", "no")


def sign_in_second(page: Page, names: Names) -> None:
    _sign_in(page, "second", PASSWORD)
    page.wait_for_url("**/2fa/authenticate/**")


def sign_in_with_wrong_code(page: Page, names: Names) -> None:
    sign_in_second(page, names)
    page.fill("input[name=code]", "000000")
    page.locator("main form:has(input[name=code]) [type=submit]").first.click()


def change_password_wrongly(page: Page, names: Names) -> None:
    page.fill("input[name=oldpassword]", "wrong")
    page.fill("input[name=password1]", "short")
    page.fill("input[name=password2]", "other")
    page.locator("main form [type=submit]").first.click()


def hurry(page: Page, names: Names) -> None:
    for _ in range(6):
        change_password_wrongly(page, names)
        page.wait_for_load_state()
        if not page.locator("input[name=oldpassword]").count():
            return


def activate_wrongly(page: Page, names: Names) -> None:
    page.fill("input[name=code]", "000000")
    page.locator("main form [type=submit]").first.click()


def send_without_token(page: Page, names: Names) -> None:
    page.context.clear_cookies()
    _sign_in(page, "officer", PASSWORD)


def come_by_another_name(page: Page, names: Names) -> None:
    page.goto(f"http://other.localhost:{urlsplit(page.url).port}/")


def see_own_fault(page: Page, names: Names) -> None:
    """No address breaks the dashboard, so the page of such a fault is served by hand."""
    if not settings.configured:  # as where pictures are taken without Django
        settings.configure(USE_I18N=False)
    dirs, builtins = [str(BASE_DIR / "templates")], ["django.templatetags.i18n"]
    engine = Engine(dirs=dirs, builtins=builtins)
    text = engine.get_template("500.html").render(Context({"reference": "ab12" * 8}))
    page.route("**/broken", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto("/broken")


def press_question_mark(page: Page, names: Names) -> None:
    page.keyboard.press("?")
    page.locator("#keys[open]").wait_for()


def open_person_menu(page: Page, names: Names) -> None:
    page.locator(".me details.menu > summary").last.click()


def open_app_menu(page: Page, names: Names) -> None:
    page.locator(".me details.menu > summary").first.click()


def pause(page: Page, names: Names) -> None:
    open_person_menu(page, names)
    _press(page, "Pause updates")
    page.keyboard.press("Escape")


def open_calls(page: Page, names: Names) -> None:
    page.locator("details.calls > summary").click()
    page.locator("details.calls details > summary").first.click()


def focus_find(page: Page, names: Names) -> None:
    page.keyboard.press("/")


def open_actions(page: Page, names: Names) -> None:
    page.keyboard.press("Control+k")
    page.locator("#recall [role=option]").first.wait_for()


def show_keys(page: Page, names: Names) -> None:
    page.keyboard.press("?")


def type_a_name(page: Page, names: Names) -> None:
    """Type the beginning of a frequent name, and wait for who it may be."""
    page.keyboard.press("/")
    page.keyboard.type("wan")
    page.locator("#suggestions").wait_for()


def change_the_borrower(page: Page, names: Names) -> None:
    page.locator("input[name$=surname], input[name$=Name], input[name$=name]").first.fill("Njoroge")
    page.locator("main form [type=submit]").last.click()


def next_page(page: Page, names: Names) -> None:
    page.get_by_role("link", name="Next page").click()


def enter_wrongly(page: Page, names: Names) -> None:
    page.fill("input[name=amount]", "1.000")
    _press(page, "Review")


def enter(page: Page, names: Names) -> None:
    page.fill("input[name=amount]", "10.50")
    _press(page, "Review")


def enter_again(page: Page, names: Names) -> None:
    page.fill("input[name=externalId]", "RKT00X7Q1")
    page.fill("input[name=amount]", "1250.50")
    _press(page, "Review")


def open_first_row(page: Page, names: Names) -> None:
    page.locator("tbody tr a.stretch").first.click()


def reveal(page: Page, names: Names) -> None:
    open_first_row(page, names)
    page.get_by_label("Purpose").select_option("complaint")
    _press(page, "Show personal content")


def report(page: Page, names: Names) -> None:
    now = datetime.now(UTC)
    message = {
        "smsId": "1",
        "address": "MPESA",
        "direction": "inbound",
        "read": True,
        "timestamp": int(now.timestamp() * 1000) - 60_000,
        "rawBody": "You have received Ksh 4000.00 from JANE WAMBUI",
    }
    event = {
        "accountId": f"borrower:{names['borrower']}",
        "eventType": "personal_data.captured",
        "timestamp": now.isoformat(timespec="milliseconds"),
        "category": "sms",
        "data": [{"kind": "lending.example/sms", "values": [message]}],
    }
    content = json.dumps(event).encode()
    file: Any = {"name": "event.json", "mimeType": "application/json", "buffer": content}
    page.set_input_files("input[name=file]", files=[file])
    _press(page, "Review")
