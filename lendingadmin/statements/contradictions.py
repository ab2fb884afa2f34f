"""Transaction ids of which a statement and the journal say different things, from both sides.

They come from the alarms that nobody has seen yet (alarms.py).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from django.db.models import Exists, OuterRef, QuerySet

from lendingadmin.repayments import deciding
from lendingadmin.repayments.models import Repayment
from lendingadmin.staff.models import User
from lendingadmin.writes.reconciliation import RESOLVE

from .models import StatementLine

#: The page shows so many; the next ones come as these are seen.
AT_MOST = 50
_Row = TypeVar("_Row", StatementLine, Repayment)


class Contradiction(NamedTuple):
    """One transaction id: the rows of statements that bear it, and the repayments that do."""

    key: str
    lines: Sequence[StatementLine]
    repayments: Sequence[Repayment]


def list_waiting(app_id: str, person: User) -> QuerySet[Repayment]:
    """The repayments that are contradicted and wait for somebody like this person."""
    return _list_alarmed(app_id) if person.has_perm(RESOLVE, app_id) else Repayment.objects.none()


def list_contradictions(app_id: str) -> list[Contradiction]:
    """Those that nobody has seen, the oldest alarm first."""
    alarmed = _list_alarmed(app_id).values_list("external_id_key", flat=True)
    keys = list(dict.fromkeys(alarmed[:AT_MOST]))
    lines = StatementLine.objects.filter(receipt_key__in=keys, file__app_id=app_id)
    lines_of = _group(lines.select_related("file").order_by("file_id", "position"), "receipt_key")
    rows = Repayment.objects.filter(app_id=app_id, external_id_key__in=keys)
    rows_of = _group(rows.select_related("created_by").order_by("pk"), "external_id_key")
    return [Contradiction(key, lines_of[key], rows_of[key]) for key in keys]


def mark_seen(app_id: str, key: str, by: User) -> None:
    """Somebody has seen what is said of one transaction id."""
    for repayment in _list_alarmed(app_id).filter(external_id_key=key):
        deciding.mark_alarm_seen(repayment, by)


def _list_alarmed(app_id: str) -> QuerySet[Repayment]:
    same = {"receipt_key": OuterRef("external_id_key"), "file__app_id": app_id}
    rows = Repayment.objects.with_unseen_alarm(app_id).filter(external_id_minted=False)
    return rows.filter(Exists(StatementLine.objects.filter(**same)))


def _group(rows: Iterable[_Row], name: str) -> dict[str, list[_Row]]:
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(getattr(row, name), []).append(row)
    return found
