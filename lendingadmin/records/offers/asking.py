"""Requests for offers: ask the service and save the answer."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple

import simplejson
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.encryption import bind
from lendingadmin.core.staff.models import User
from lendingadmin.lending.codec import encode
from lendingadmin.lending.errors import InvalidId, LendingError, Saved
from lendingadmin.lending.ids import check_id
from lendingadmin.lending.values import (
    OfferMetadata,
    OfferOperation,
    OfferResult,
    OffersResponse,
    moment,
    text,
)
from lendingadmin.web import coalesce

from .models import FINISHED, LONGEST_ID, OfferRequest, OfferState

# The number of a person's newest requests that are read, and the number that is shown.
_LATEST, _SHOWN = 50, 10


class Place(NamedTuple):
    """Key of a request: its app, its borrower and its requestId."""

    app_id: str
    borrower_id: str
    request_id: str

    def find(self) -> OfferRequest | None:
        """Return the request; None if this dashboard has no row for the request."""
        rows = OfferRequest.objects.select_related("asked_by")
        return rows.filter(**self._asdict()).first()


def list_latest_of(person: User, app_id: str, since: datetime) -> list[OfferRequest]:
    """Return a person's requests since a time: running ones first, then the newest."""
    rows = OfferRequest.objects.filter(asked_by=person, app_id=app_id, last_asked_at__gte=since)
    newest = list(rows.defer("answer").order_by("-last_asked_at")[:_LATEST])
    ended = (*FINISHED, OfferState.REFUSED)
    return sorted(newest, key=lambda row: row.is_lost or row.state in ended)[:_SHOWN]


def ask(
    place: Place, person: User, assessment_type: str, timestamp: datetime | None
) -> OfferRequest | None:
    """Request offers with at least one of three values (Spec: Borrowers, 4).

    The three values are the requestId of `place`, the assessment type and the time. A request with
    an id is saved before the call, so that it is never lost. A request without an id is saved under
    the requestId in the service's answer. Return None if the answer has no usable requestId.

    Raise LendingError if the call fails. A saved request is then marked as refused, or its result
    remains unknown.
    """
    given: dict[str, object] = {"assessment_type": assessment_type, "timestamp": timestamp}
    known = {name: value for name, value in given.items() if value}
    row = _write_down(place, person, known) if place.request_id else None
    try:
        operation = gateway.app(place.app_id).borrowers.get_offers(
            place.borrower_id,
            assessment_type=assessment_type or None,
            timestamp=timestamp,
            request_id=place.request_id or None,
        )
    except LendingError as error:
        if row and error.saved == Saved.NO:
            asked = OfferRequest.objects.filter(pk=row.pk, state=OfferState.ASKED)
            asked.update(state=OfferState.REFUSED)
        raise
    if row is None:
        named = place._replace(request_id=_read_request_id(operation))
        row = _write_down(named, person, known) if named.request_id else None
    if row:
        note(row, operation, timezone.now())
    return row


def _write_down(place: Place, person: User, known: Mapping[str, object]) -> OfferRequest:
    """Create or update the row of a request, and return the row.

    A row with an answer to this request is not changed.
    """
    now = timezone.now()
    row, created = OfferRequest.objects.get_or_create(
        **place._asdict(),
        defaults={**known, "last_asked_at": now, "asked_by": person, "asked_at": now},
    )
    if not created and (row.state in (OfferState.ASKED, OfferState.REFUSED) or not row.is_named):
        # The result is unknown until the answer comes. If a saved answer may belong to another
        # request, it is not final.
        fields = {**known, "last_asked_at": now, "state": OfferState.ASKED}
        OfferRequest.objects.filter(pk=row.pk).update(**fields)
        row.refresh_from_db()
    return row


def _read_request_id(operation: OfferOperation) -> str:
    """Return the requestId in an answer; empty if it is missing, invalid or too long."""
    metadata = operation.metadata
    found = text(metadata.request_id) if isinstance(metadata, OfferMetadata) else None
    try:
        return found if found and len(check_id(found)) <= LONGEST_ID else ""
    except InvalidId:
        return ""


def ask_again(place: Place, person: User) -> OfferOperation:
    """Ask the service for a request by its id, at a person's request, and save the answer.

    After that, the request has a row in this dashboard. If the service fails, raise LendingError
    and save nothing.
    """
    operation = gateway.app(place.app_id).borrowers.get_offers(
        place.borrower_id, request_id=place.request_id
    )
    now = timezone.now()
    again: dict[str, object] = {"last_asked_at": now}
    kept = place.find()
    if kept is not None and not kept.is_named:
        # If the answer may belong to another request, it is not final.
        again["state"] = OfferState.ASKED
    row, _ = OfferRequest.objects.update_or_create(
        **place._asdict(),
        defaults=again,
        create_defaults={"last_asked_at": now, "asked_by": person, "asked_at": now},
    )
    note(row, operation, now)
    return operation


def check(row: OfferRequest) -> None:
    """Read the state of a request and save it. Checks at the same time share one call.

    The caller must check `may_be_read` first. Raise LendingError if the service fails.
    """
    key = simplejson.dumps(["offer", row.app_id, row.borrower_id, row.request_id])
    borrowers = gateway.app(row.app_id).borrowers
    call = partial(borrowers.get_offers, row.borrower_id, request_id=row.request_id)
    operation, read_at = coalesce.read(key, OfferOperation, call)
    note(row, operation, read_at)


def note(row: OfferRequest, operation: OfferOperation, read_at: datetime) -> None:
    """Save an answer in the row. The answer of a running operation never replaces a final one."""
    state = state_of(operation)
    metadata = operation.metadata if isinstance(operation.metadata, OfferMetadata) else None
    rows = OfferRequest.objects.filter(pk=row.pk)
    if state not in FINISHED:
        rows = rows.exclude(state__in=FINISHED)
    changes = bind(
        row,
        state=state,
        expiry_time=(moment(metadata.expiry_time) if metadata else None) or row.expiry_time,
        answer=encode(operation.raw).decode(),
        answered_at=read_at,
    )
    rows.update(**changes)
    row.refresh_from_db()


def state_of(operation: OfferOperation) -> OfferState:
    """Return the state of an operation. Without `done`, an operation with a result is done.

    A done operation without a readable offer has failed.
    """
    said = operation.done
    if said is False or (said is not True and operation.result is None):
        return OfferState.RUNNING
    result = operation.result
    if isinstance(result, OfferResult) and isinstance(result.response, OffersResponse):
        return OfferState.FAILED if result.error else OfferState.DONE
    return OfferState.FAILED
