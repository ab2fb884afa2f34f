"""What tests of the ledger's pages have in common: filling in, confirming, and reading back."""

import re
from typing import Any

from django.test import Client

from lendingadmin.core.gateway import LendingApp


def new_url(app: LendingApp, loan: str = "l") -> str:
    return f"/apps/{app.app_id}/loans/{loan}/repayments/new"


def filled(page: object, **fields: str) -> dict[str, str]:
    """The form as the page offers it, with these fields filled in."""
    text = page.content.decode()  # type: ignore[attr-defined]
    token = re.search(r'name="token" value="([^"]+)"', text)
    when = re.search(r'name="transactionDate" value="([^"]+)"', text)
    assert token and when
    usual = {"amount": "100.00", "externalId": "TX", "currencyCode": "KES"}
    return usual | {"token": token[1], "transactionDate": when[1], "channel": ""} | fields


def enter(desk: Client, app: LendingApp, loan: str = "l", **fields: str) -> str:
    """Fill in the form and send it; the address of the confirm step."""
    answer = desk.post(new_url(app, loan), filled(desk.get(new_url(app, loan)), **fields))
    assert answer.status_code == 302, answer.content.decode()
    return str(answer.headers["Location"])


def hidden(page: object) -> dict[str, str]:
    """What the confirm page sends back by itself."""
    text = page.content.decode()  # type: ignore[attr-defined]
    return dict(
        re.findall(r'<input type="hidden" name="(seen|shown|overpaid)" value="([^"]+)"', text)
    )


def press(desk: Client, confirm: str, follow: bool = False, **fields: str) -> Any:
    """Open the confirm step and press “Record …”, with these fields instead of its own."""
    page = desk.get(confirm)
    shown = hidden(page) if page.status_code == 200 else {}
    return desk.post(confirm, shown | fields, follow=follow)
