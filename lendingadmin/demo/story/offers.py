"""Requests for offers: three get an offer, one has not enough data, and one is declined."""

import time
from collections.abc import Sequence

from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.lending.ids import resource_id
from lendingadmin.lending.values import Assessment
from lendingadmin.people.index.names import get_names
from lendingadmin.records.offers import asking
from lendingadmin.records.offers.models import OfferRequest

from .cast import APP, Book, Cast

_KIND = "assessmentTypes/credit-90-days"
_WANTED = {"authorized": 3, "invalid": 1, "declined": 1}
_LONGEST_WAIT = 10  # seconds; the sandbox takes four


def ask(cast: Cast, book: Book) -> list[OfferRequest]:
    """Request offers for borrowers. Their last assessment shows the result in advance."""
    owing = {debt.borrower_id for debt in book.debts}
    chosen = dict[str, list[str]]()
    for one in gateway.app(APP).assessments.iterate():
        if not isinstance(one, Assessment) or one.assessment_type != _KIND:
            continue
        borrower_id = resource_id(str(one.account_id)) or ""
        outcome = str(getattr(one.result, "type", ""))
        # A debt uses the complete credit limit, so a borrower with a debt gets no offer.
        if borrower_id and not (outcome == "authorized" and borrower_id in owing):
            chosen.setdefault(outcome, []).append(borrower_id)
    found = list[OfferRequest | None]()
    for outcome, count in _WANTED.items():
        named = get_names(APP, chosen.get(outcome, []))
        for number, borrower_id in enumerate(sorted(named)[:count], start=1):
            place = asking.Place(APP, borrower_id, f"story-{outcome}-{number}")
            found.append(asking.ask(place, cast.officer, _KIND, timezone.now()))
    return [row for row in found if row]


def read_answers(requests: Sequence[OfferRequest]) -> None:
    """Check the requests until the service has answered all of them, for at most ten seconds."""
    until = time.monotonic() + _LONGEST_WAIT
    for row in requests:
        while not row.is_finished and time.monotonic() < until:
            asking.check(row)
            if not row.is_finished:
                time.sleep(0.3)
