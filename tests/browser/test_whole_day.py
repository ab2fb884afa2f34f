"""The officer's whole day and support's part of it, once with JavaScript and once without."""

import json
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import House, sign_in

PROCESSING = 30


def reported(account: str) -> bytes:
    """Three months of a market trader's messages, as the lending app would report them."""
    now = datetime.now(UTC)
    values: list[dict[str, Any]] = []
    for day in range(1, 85, 3):
        for body in (
            f"You have received Ksh {4000 + 10 * day}.00 from JANE WAMBUI",
            f"Ksh {900 + day}.00 sent to KPLC PREPAID",
        ):
            values.append(
                {
                    "smsId": str(len(values)),
                    "address": "MPESA",
                    "direction": "inbound",
                    "read": True,
                    "timestamp": int((now - timedelta(days=day)).timestamp() * 1000),
                    "rawBody": body,
                }
            )
    event = {
        "accountId": account,
        "eventType": "personal_data.captured",
        "timestamp": (now - timedelta(minutes=1)).isoformat(timespec="milliseconds"),
        "category": "sms",
        "data": [{"kind": "lending.example/sms", "values": values}],
    }
    return json.dumps(event).encode()


# Nobody else of the tests bears their names or has their phones: that would be asked about first.
PEOPLE = {
    "day-with": ("Nekesa", "Rose", "0712 345 671"),
    "day-without": ("Wafula", "Paul", "0712 345 672"),
}


class Desk:
    """Somebody at work; without JavaScript waiting is done with the reload button."""

    def __init__(self, page: Page, *, scripts: bool) -> None:
        self.page = page
        self.scripts = scripts

    def go(self, path: str) -> None:
        self.page.goto(f"/apps/kenya/{path}")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def await_text(self, text: str) -> None:
        """Wait for what the service takes its time for."""
        main = self.page.locator("main")
        if self.scripts:
            expect(main).to_contain_text(text, timeout=PROCESSING * 1000)
            return
        until = time.monotonic() + PROCESSING
        while text not in main.inner_text() and time.monotonic() < until:
            self.page.get_by_role("link", name="Refresh").first.click()
            self.page.wait_for_timeout(500)
        expect(main).to_contain_text(text)

    def register(self, borrower_id: str) -> None:
        self.go("borrowers/new")
        self.page.get_by_text("Technical").click()
        self.page.fill("[name=borrowerId]", borrower_id)
        self.page.select_option("[name=general-category]", "individual")
        surname, othernames, phone = PEOPLE[borrower_id]
        self.page.fill("[name=individual-surname]", surname)
        self.page.fill("[name=individual-othernames]", othernames)
        self.page.fill("[name=individual-phoneNumber]", phone)
        self.press("Register")
        expect(self.page).to_have_url(re.compile(f"/borrowers/{borrower_id}/"))

    def report(self, borrower_id: str) -> None:
        self.go("events/new?by=file")
        content = reported(f"borrower:{borrower_id}")
        file = {"name": "event.json", "mimeType": "application/json", "buffer": content}
        self.page.set_input_files("input[name=file]", files=[file])  # type: ignore[list-item]
        self.press("Review")
        self.press("Send")
        expect(self.page.locator("h1")).to_contain_text("56 messages")

    def assess(self, borrower_id: str) -> None:
        self.go(f"assessments/new?borrower={borrower_id}")
        self.page.locator("input[name=assessmentType]").first.check()
        self.press("Start the assessment")
        self.await_text("The service authorizes lending")

    def ask_for_an_offer(self, borrower_id: str) -> None:
        self.go(f"borrowers/{borrower_id}/offers/new")
        self.page.locator("input[name=assessmentType]").first.check()
        self.press("Request offer")
        self.await_text("Credit limit")

    def lend(self) -> str:
        """Compare the contracts that the offer allows, and make a loan of the first."""
        self.press("Compare all products")
        expect(self.page.locator("main")).to_contain_text("cheapest")
        self.page.locator("table.compare a.button").first.click()
        account_id = self.page.locator("[name=accountId]").input_value()
        self.page.get_by_role("button", name=re.compile("^Lend KES")).click()
        expect(self.page.locator("nav.crumbs")).to_contain_text(account_id)
        return account_id

    def repay(self, account_id: str) -> None:
        """Record what is still owed, to the last cent."""
        self.go(f"loans/{account_id}/")
        text = self.page.locator(".facts dd").first.inner_text().splitlines()[0]
        owed = Decimal(re.sub(r"[^\d.]", "", text))
        self.page.get_by_role("link", name="Record a repayment").click()
        self.page.fill("[name=amount]", str(owed))
        self.press("Review")
        self.page.get_by_role("button", name="Record KES").click()
        expect(self.page.locator("#status")).to_contain_text("The service confirmed")
        self.go(f"loans/{account_id}/")
        expect(self.page.locator("main")).to_contain_text("settled")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_from_registering_to_settled(
    open_page: Callable[..., Page], house: House, scripts: bool
) -> None:
    borrower_id = "day-with" if scripts else "day-without"
    page = open_page(house, java_script_enabled=scripts)
    sign_in(page, "officer")
    officer = Desk(page, scripts=scripts)
    officer.register(borrower_id)
    officer.report(borrower_id)
    officer.assess(borrower_id)
    officer.ask_for_an_offer(borrower_id)
    account_id = officer.lend()
    page = open_page(house, java_script_enabled=scripts)
    sign_in(page, "support")
    Desk(page, scripts=scripts).repay(account_id)
