"""What people do at the pages, for any browser: Django's test client here, real HTTP under load."""

import html
import re
from collections.abc import Callable
from typing import NamedTuple, Protocol

from django.test import Client

from lendingadmin.core.staff.models import User
from tests.conftest import confirm as confirm_person

_HIDDEN = re.compile(r'<input type="hidden" name="(seen|shown|may_double)" value="([^"]*)"')
_TOKEN = re.compile(r'name="token" value="([^"]+)"')
_MOMENT = re.compile(r'name="transactionDate" value="([^"]+)"')
_EXTERNAL_ID = re.compile(r'name="externalId" value="([^"]*)"')


class Page(NamedTuple):
    """What came back; `location` is where a redirect leads."""

    status: int
    text: str
    location: str = ""

    @property
    def receipt(self) -> int | None:
        """The number of the repayment, when this redirects to a receipt."""
        found = re.search(r"/repayments/(\d+)/$", self.location)
        return int(found[1]) if found else None


class Browser(Protocol):
    """A browser session in which somebody is signed in."""

    def get(self, path: str) -> Page: ...

    def post(self, path: str, fields: dict[str, str]) -> Page: ...


class InProcess:
    """Django's test client as a browser; a person who is given signs in again in time."""

    def __init__(self, client: Client, person: User | None = None) -> None:
        self._client, self._person = client, person

    def get(self, path: str) -> Page:
        return self._ask(lambda: self._client.get(path))

    def post(self, path: str, fields: dict[str, str]) -> Page:
        return self._ask(lambda: self._client.post(path, fields))

    def _ask(self, ask: Callable[[], object]) -> Page:
        page = _page(ask())
        if self._person and page.location.startswith("/accounts/login/"):
            self._client.force_login(self._person)
            page = _page(ask())
        if self._person and page.location.startswith("/accounts/reauthenticate/"):
            confirm_person(self._client, self._person)
            page = _page(ask())
        return page


def _page(answer: object) -> Page:
    streaming = getattr(answer, "streaming", False)
    content = b"".join(answer) if streaming else answer.content  # type: ignore[call-overload, attr-defined]
    headers = answer.headers  # type: ignore[attr-defined]
    return Page(answer.status_code, content.decode(), headers.get("Location", ""))  # type: ignore[attr-defined]


def form_url(app: str, loan: str, retry_of: int | None = None) -> str:
    again = f"?retry_of={retry_of}" if retry_of else ""
    return f"/apps/{app}/loans/{loan}/repayments/new{again}"


def approve_url(app: str, number: int) -> str:
    return f"/apps/{app}/repayments/{number}/approve"


def fill_in(browser: Browser, url: str, external_id: str, amount: str) -> str | None:
    """Open the form, fill it in and send it: the address of the confirm step, if it led there."""
    page = browser.get(url)
    token, moment = _TOKEN.search(page.text), _MOMENT.search(page.text)
    if page.status != 200 or not token or not moment:
        return None
    fixed = _EXTERNAL_ID.search(page.text)
    fields = {"amount": amount, "externalId": external_id, "currencyCode": "KES", "channel": ""}
    fields |= {"token": html.unescape(token[1]), "transactionDate": moment[1]}
    if fixed and "retry_of" in url:
        fields["externalId"] = html.unescape(fixed[1])
    sent = browser.post(url, fields)
    return sent.location if sent.status == 302 and sent.location.endswith("/confirm") else None


class Confirm(NamedTuple):
    """The confirm step as a person sees it; `warns` when it asks to agree that it may double."""

    url: str
    fields: dict[str, str]
    warns: bool


def open_confirm(browser: Browser, url: str) -> Confirm | None:
    """Open the confirm step; None when it leads away or offers no button."""
    page = browser.get(url)
    fields = {name: html.unescape(value) for name, value in _HIDDEN.findall(page.text)}
    if page.status != 200 or "shown" not in fields:
        return None
    return Confirm(url, fields, 'name="may_double"' in page.text)


def press(browser: Browser, confirm: Confirm, agree: bool = False) -> Page:
    """Press “Record it”, with the warning ticked or not."""
    ticked = {"may_double": "yes"} if agree and confirm.warns else {}
    return browser.post(confirm.url, confirm.fields | ticked)
