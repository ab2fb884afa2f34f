"""The index of assessments, which finds the assessments of one account.

The worker's walk compares the index with the service. An assessment that a page starts or reads is
saved immediately. The details of an assessment are read from the service by its id.
"""

import logging
from collections.abc import Iterable
from datetime import datetime

from django.db import Error
from django.db.models import QuerySet, Value
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core.staff.erasure import KeptOn
from lendingadmin.core.waiting import atomic_without_waiting
from lendingadmin.lending.ids import account_id
from lendingadmin.lending.values import Assessment, Malformed, moment, status_key, timestamp_text
from lendingadmin.people.search import kinds
from lendingadmin.people.search.lookups import Finder, Match
from lendingadmin.web.lists import as_id

from .models import LONGEST_ID, LONGEST_STATUS, AssessmentIndex, KnownAssessment
from .running import id_of

logger = logging.getLogger(__name__)

# The fields of an assessment that a walk reads, by their names in the API.
KEYS = ("assessmentId", "uid", "accountId", "assessmentType", "timestamp", "createdAt", "status")
_READ = ("account_id", "assessment_type", "made_at", "status")
_AT_ONCE = 500
_MOST_IN_OTHER_LETTERS = 10


def find_index(app_id: str) -> AssessmentIndex | None:
    """Return the index of an app's assessments; None before the first reading."""
    return AssessmentIndex.objects.filter(app_id=app_id).first()


def list_known(index: AssessmentIndex, account_id: str) -> QuerySet[KnownAssessment]:
    """Return the known assessments of one account."""
    return KnownAssessment.objects.filter(index=index, account_id=account_id)


def count_of_borrower(app_id: str, borrower_id: str) -> int:
    """Return the number of known assessments of this borrower in an app. May raise InvalidId."""
    index = find_index(app_id)
    return list_known(index, account_id(borrower_id)).count() if index else 0


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[KnownAssessment]]:
    """Yield the known assessments of this borrower in an app. May raise InvalidId."""
    account = account_id(borrower_id)
    yield KnownAssessment.objects.filter(index__app_id=app_id, account_id=account)


def find_in_other_case(app_id: str, wanted: str) -> tuple[Match, ...]:
    """Return the known assessments whose id differs from this one only in upper and lower case.

    The database converts both ids to lower case. The service may have deleted an assessment; this
    shows when a person opens it.
    """
    rows = filter_folded(app_id, wanted).exclude(assessment_id=wanted)
    warning = _(
        "The capital letters differ from your entry. The id is shown as the service sent it."
    )
    return tuple(
        Match(
            kinds.ASSESSMENT,
            row.assessment_id,
            _("of %(account)s") % {"account": row.account_id},
            warning,
        )
        for row in rows[:_MOST_IN_OTHER_LETTERS]
    )


def filter_folded(app_id: str, wanted: str) -> QuerySet[KnownAssessment]:
    """Return an app's known assessments whose id equals this one in lower case."""
    rows = KnownAssessment.objects.alias(folded=Lower("assessment_id"))
    return rows.filter(index__app_id=app_id, folded=Lower(Value(wanted)))


def put_assessments(
    index: AssessmentIndex,
    items: Iterable[Assessment | Malformed],
    read_at: datetime,
    walk: int | None = None,
) -> tuple[int, int]:
    """Save assessments that were read at a time; return the numbers of new and unusable ones.

    Unusable items have no id. `walk` is the number of the walk that read the assessments. An
    assessment is new if this walk has not seen it before. Never replace data that were read at a
    later time. Call this in a transaction.
    """
    found, unreadable = _read_all(items)
    known = _find_rows(KnownAssessment.objects.select_for_update(), index, list(found))
    new, rows = 0, []
    for key, item in sorted(found.items()):
        row = known.get(key) or KnownAssessment(index=index, assessment_id=key)
        if row.pk is None or row.read_at <= read_at:
            _fill(row, item, read_at)
        new += row.pk is None or row.walk != walk
        row.walk = row.walk if walk is None else walk
        rows.append(row)
    KnownAssessment.objects.bulk_create(
        rows,
        batch_size=_AT_ONCE,
        update_conflicts=True,
        unique_fields=["index", "assessment_id"],
        update_fields=[*_READ, "read_at", "walk"],
    )
    return new, unreadable


def _read_all(items: Iterable[Assessment | Malformed]) -> tuple[dict[str, Assessment], int]:
    """Return the assessments by the id that requests use, and the number of unusable items."""
    found, unreadable = {}, 0
    for item in items:
        key = "" if isinstance(item, Malformed) else _as_text(id_of(item))
        if isinstance(item, Malformed) or not key:
            unreadable += 1
        else:
            found[key] = item
    return found, unreadable


def _find_rows(
    rows: QuerySet[KnownAssessment], index: AssessmentIndex, keys: list[str]
) -> dict[str, KnownAssessment]:
    """Return the rows of these assessments, by the id that requests use."""
    found = {}
    for at in range(0, len(keys), _AT_ONCE):
        some = rows.filter(index=index, assessment_id__in=keys[at : at + _AT_ONCE])
        found.update({row.assessment_id: row for row in some})
    return found


def _fill(row: KnownAssessment, item: Assessment, read_at: datetime) -> None:
    """Copy the data that were read; a field that the answer lacks does not change."""
    row.account_id = _as_text(item.account_id) or row.account_id
    row.assessment_type = _as_text(item.assessment_type) or row.assessment_type
    row.status = status_key(item.status)[:LONGEST_STATUS].replace("\x00", "") or row.status
    made_at = moment(item.created_at) or row.made_at or moment(item.timestamp)
    row.made_at = made_at or read_at
    row.read_at = read_at


def make_assessment(row: KnownAssessment) -> Assessment:
    """Build an assessment from the known data.

    The status is the last status that was read. The outcome is missing.
    """
    fields = {"assessmentId": row.assessment_id, "accountId": row.account_id}
    fields |= {"assessmentType": row.assessment_type, "createdAt": timestamp_text(row.made_at)}
    return Assessment(fields | {"status": row.status})


def _as_text(value: object) -> str:
    """Return a text that can be stored and sent back; empty for other values."""
    found = as_id(value)
    return found if len(found) <= LONGEST_ID else ""


def keep(app_id: str, found: Assessment) -> Assessment:
    """Save an assessment that was just started or read, and return it. Never wait for a lock.

    If the index can't be written at the moment, the next walk reads the assessment. An error is
    only logged, so that the page still shows its result.
    """
    now, key = timezone.now(), id_of(found)
    try:
        index = find_index(app_id)
        row = _find_rows(KnownAssessment.objects.all(), index, [key]).get(key) if index else None
        before = [getattr(row, name) for name in _READ] if row else []
        if row:
            _fill(row, found, row.read_at)
        if not row or before != [getattr(row, name) for name in _READ]:
            with atomic_without_waiting():
                index = index or AssessmentIndex.objects.get_or_create(app_id=app_id)[0]
                put_assessments(index, [found], now)
    except (Error, ValueError) as error:
        logger.warning("an assessment could not be saved: %s", type(error).__name__)
    return found


KEPT = KeptOn(
    gettext_noop("assessments"),
    gettext_noop("the next update deletes assessments that the service no longer lists"),
    count_of_borrower,
    list_rows,
)
OTHER_CASE = Finder("lending.assessments.get", find_in_other_case)
