"""What the dashboard claims, read only from what it shows: the journal's CSV and the receipts."""

import csv
import html
import io
import re
from decimal import Decimal
from typing import NamedTuple

from tests.proof.desk import Browser

_NOTICE = re.compile(r'<div id="status".*?data-announce="([^"]*)"', re.DOTALL)
_SAVED = re.compile(
    r"<strong>((?:It is|Nothing was|Probably) recorded[^<]*|Not known yet[^<]*)</strong>"
)
_EFFECT = re.compile(r"<dt>Effect</dt>\s*<dd>([a-z ]+):")
_SET_ASIDE = re.compile(r"<dt>(?:<[^>]*>)*Set aside")
_STATUS = re.compile(r'<div id="status".*?</section>', re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")


class Row(NamedTuple):
    """One line of the journal's export."""

    number: int
    loan: str
    external_id: str
    amount: Decimal
    state: str
    resolution: str
    was_sent: bool
    person: str
    approved_by: str


class Receipt(NamedTuple):
    """What a receipt says. `words` is all that its status part says, `saved` whether it
    was recorded, `effect` its name, empty when none is shown."""

    number: int
    title: str
    saved: str
    effect: str
    not_seen: bool
    set_aside: bool
    words: str


def journal(browser: Browser, app: str) -> list[Row]:
    """Every repayment that the dashboard knows of, from the journal's CSV."""
    page = browser.get(f"/apps/{app}/repayments/export.csv?technical=1")
    assert page.status == 200, page.text
    return [_row(line) for line in csv.DictReader(io.StringIO(page.text.lstrip("\ufeff")))]


def _row(line: dict[str, str]) -> Row:
    return Row(
        int(line["number"]),
        line["accountId"].lstrip("'"),
        line["externalId"].lstrip("'"),
        Decimal(line["amount"]),
        line["state"],
        line["resolvedAs"],
        bool(line["sentAt"]),
        line["person"],
        line["approvedBy"],
    )


def receipt(browser: Browser, app: str, number: int) -> Receipt:
    """What the receipt of this repayment says. Opening it may take a look that is due."""
    page = browser.get(f"/apps/{app}/repayments/{number}/")
    assert page.status == 200, f"receipt {number}: {page.status}"
    return read_receipt(number, page.text)


def read_receipt(number: int, text: str) -> Receipt:
    """What this page of a repayment says."""
    status, title = _STATUS.search(text), _NOTICE.search(text)
    saved = _SAVED.search(text)
    assert status and title and saved, f"receipt {number} says nothing"
    effect = _EFFECT.search(status[0])
    return Receipt(
        number,
        html.unescape(title[1]),
        saved[1],
        effect[1] if effect else "",
        "balance has not changed" in status[0],
        bool(_SET_ASIDE.search(text)),
        " ".join(html.unescape(_TAGS.sub(" ", status[0])).split()),
    )
