"""Events for tests: one of every kind, and how they are put into the sandbox and into forms."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import simplejson
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.records.events import checking
from tests.sandbox.calling import Caller

DOMAIN = "lending.example"
# An hour before the tests were collected: the service takes what is months old as well.
NOW = datetime.now(UTC).replace(microsecond=0)
WHEN = NOW - timedelta(hours=1)
STAMP = WHEN.isoformat().replace("+00:00", ".000Z")
TEXT = "Rent is due"
SECRETS = (TEXT, "+254711000111", "Mama Njeri", "njeri@example.org", "-1.2921", "betting")


def ms(when: datetime) -> int:
    return int(when.timestamp() * 1000)


def data(domain: str = DOMAIN) -> list[dict[str, Any]]:
    """A set of each of the five kinds."""
    then = ms(WHEN)
    return [
        {
            "kind": f"{domain}/sms",
            "values": [
                {
                    "address": "+254711000111",
                    "direction": "inbound",
                    "smsId": "1",
                    "read": 1,
                    "timestamp": then - 120_000,
                    "rawBody": TEXT,
                },
                {
                    "address": "+254711000111",
                    "direction": "outbound",
                    "smsId": "2",
                    "read": True,
                    "timestamp": then - 60_000,
                    "rawBody": "Paid, thank you",
                },
            ],
        },
        {
            "kind": f"{domain}/contact",
            "values": [
                {
                    "name": "Mama Njeri",
                    "primaryAddress": {"addressName": "+254722", "addressType": "telephone"},
                    "otherAddresses": [
                        {"addressName": "njeri@example.org", "addressType": "email"}
                    ],
                }
            ],
        },
        {
            "kind": f"{domain}/device/battery",
            "values": [
                {"timestamp": then - 7_200_000, "isCharging": False, "level": 81},
                {"timestamp": then - 3_600_000, "isCharging": True, "level": 40},
            ],
        },
        {
            "kind": f"{domain}/device/location",
            "values": [{"timestamp": then, "latLng": "-1.2921,36.8219"}],
        },
        {
            "kind": f"{domain}/device/app",
            "values": [
                {"timestamp": then, "name": "bet", "package": "com.betting.app", "label": "Bets"}
            ],
        },
    ]


def body(**fields: Any) -> dict[str, Any]:
    """An event as it is posted."""
    return {
        "accountId": "borrower:b",
        "eventType": "personal_data.captured",
        "timestamp": STAMP,
        "data": data(),
    } | fields


def address(app: LendingApp, account: str = "borrower_3Ab", when: str = STAMP) -> str:
    """The page of the event, as the product escapes its key."""
    quoted = when.replace(":", "_3A")
    return f"/apps/{app.app_id}/events/{account}/personal_5Fdata.captured/{quoted}/"


def new_url(app: LendingApp) -> str:
    return f"/apps/{app.app_id}/events/new"


def token_of(page: Any) -> str:
    """The one-use token in a page's form."""
    found = re.search(r'name="token" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]


def bare(text: str = TEXT) -> str:
    """One message as JSON, of a kind without a domain."""
    message = {
        "address": "+254711000111",
        "direction": "inbound",
        "timestamp": ms(WHEN),
        "rawBody": text,
    }
    return simplejson.dumps([{"kind": "sms", "values": [message]}], ensure_ascii=False)


# What the findings say: of each, the words that tell it from the others.
FINDINGS = {
    "account": "The account id must be",
    "category": "category must be sms or contact",
    "domain": "must begin with the service",
    "kind": "the kind must end with",
    "kinds": "other kinds",
    "later": "later than the event",
    "no sets": "at least one set",
    "no values": "no value",
    "seconds": "look like seconds",
    "set": "a set must be an object",
    "time": checking.NO_TIME,
    "type": "The event type is",
    "values": "values must be a list",
    "wrong": "{kind}: {field} must be",
}


def is_wrong(page: Any, field: str | None, wrong: str) -> bool:
    """True if the form says so beside a field, by a code or by the words of a finding."""
    form = page.context["form"]
    if wrong in FINDINGS:
        told = form.non_field_errors() if field is None else form.errors[field]
        return any(FINDINGS[wrong] in one for one in told) and "errorlist" in page.text
    return form.has_error(field or NON_FIELD_ERRORS, wrong) and "errorlist" in page.text


def pasted(desk: Client, app: LendingApp, **fields: str) -> dict[str, str]:
    """The form as a browser sends it: one message pasted."""
    page = desk.get(new_url(app))
    return {
        "token": token_of(page),
        "accountId": "borrower:b",
        "timestamp": WHEN.astimezone(app.zone).strftime("%Y-%m-%dT%H:%M:%S"),
        "domain": DOMAIN,
        "category": "",
        "pasted": bare(),
        **fields,
    }


def send(desk: Client, confirm: str) -> Any:
    return desk.post(confirm, {"token": token_of(desk.get(confirm))})


def upload(
    desk: Client, app: LendingApp, content: bytes, name: str = "event.json", **fields: str
) -> Any:
    """Choose a file and press “Review”."""
    url = f"{new_url(app)}?by=file"
    file = SimpleUploadedFile(name, content, "application/json")
    usual = {"token": token_of(desk.get(url)), "accountId": "", "timestamp": "", "domain": ""}
    return desk.post(url, usual | {"category": "", "file": file} | fields)


def stored(book: Caller) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = book.get("/events").body["events"]
    return events
