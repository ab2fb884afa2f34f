"""Transaction ids for which a statement and the journal differ, with the rows of both.

The ids come from the alarms that no manager has seen yet (alarms.py).
"""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy, ngettext_lazy

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import decisions, services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.web.decisions import Task, ToDecide
from lendingadmin.web.navigation import Badge

from . import places
from .batches import RECORD_REPAYMENTS
from .keeping import READ
from .models import StatementFile, StatementLine

DIFFERENCES = ngettext_lazy(
    "%(count)s difference between statements and our records",
    "%(count)s differences between statements and our records",
    "number",
)
UNALLOCATED = ngettext_lazy(
    "%(count)s unallocated payment", "%(count)s unallocated payments", "number"
)
WITH_QUESTION = ngettext_lazy(
    "%(count)s statement needs your answer",
    "%(count)s statements need your answer",
    "number",
)
#: The most contradictions on the page. The next ones appear when a person has pressed OK on these.
AT_MOST = 50


def list_waiting(app_id: str, person: User) -> QuerySet[Repayment]:
    """Return the contradicted repayments with an alarm that this person may resolve."""
    may_see = person.has_perm(RESOLVE, app_id) and person.has_perm(READ, app_id)
    if not may_see:
        return Repayment.objects.none()
    return _list_alarmed(app_id).select_related("created_by")


def list_unplaced(app_id: str, person: User) -> QuerySet[StatementLine]:
    """Return the unallocated payments without an owner, and those that this person owns.

    Return none if the person may not record repayments.
    """
    if not (person.has_perm(READ, app_id) and person.has_perm(RECORD_REPAYMENTS, app_id)):
        return StatementLine.objects.none()
    return places.list_unallocated(app_id).filter(Q(owner=None) | Q(owner=person))


def list_with_question(app_id: str, person: User) -> QuerySet[StatementFile]:
    """Return the files with an open question about columns, days or words."""
    if not person.has_perm(READ, app_id):
        return StatementFile.objects.none()
    is_asked = Q(layout="") | Q(day_is_proposed=True) | ~Q(unknown_words={})
    return StatementFile.objects.filter(is_asked, app_id=app_id, batch=None).exclude(content="")


def list_contradictions(
    app_id: str,
) -> list[tuple[str, list[StatementLine], list[Repayment]]]:
    """Return at most AT_MOST transaction ids with an unseen alarm, the oldest first.

    Each id comes with its statement rows and its repayments.
    """
    alarmed = _list_alarmed(app_id).values_list("external_id_key", flat=True)
    keys = list(dict.fromkeys(alarmed[:AT_MOST]))
    same = Q(receipt_key__in=keys) | Q(bank_key__in=keys)
    lines = StatementLine.objects.filter(same, file__app_id=app_id)
    lines = lines.select_related("file").order_by("file_id", "position")
    rows = Repayment.objects.filter(app_id=app_id, external_id_key__in=keys).order_by("pk")
    rows = rows.select_related("created_by")
    return [
        (
            key,
            [line for line in lines if key in (line.receipt_key, line.bank_key)],
            [row for row in rows if row.external_id_key == key],
        )
        for key in keys
    ]


def mark_seen(app_id: str, key: str, by: User) -> None:
    """Mark the alarms of one transaction id as seen."""
    for repayment in _list_alarmed(app_id).filter(external_id_key=key):
        services.mark_alarm_seen(repayment, by)


def _list_alarmed(app_id: str) -> QuerySet[Repayment]:
    key = OuterRef("external_id_key")
    same = StatementLine.objects.filter(Q(receipt_key=key) | Q(bank_key=key), file__app_id=app_id)
    rows = Repayment.objects.with_unseen_alarm(app_id).filter(external_id_minted=False)
    return rows.filter(Exists(same))


BADGES = [Badge("statements", list_waiting), Badge("statements", list_unplaced)]


def _describe_unplaced(line: StatementLine) -> Task:
    return Task(
        reverse("unallocated", args=[line.file.app_id]),
        line.receipt,
        line.moment or line.file.created_at,
        amount=line.amount,
        currency=line.currency or lending_app(line.file.app_id).currency,
        by=line.owner.username if line.owner else "",
    )


DECISIONS = [
    ToDecide(
        "difference",
        "statements-contradictions",
        DIFFERENCES,
        list_waiting,
        describe=lambda row: decisions.describe(
            row, reverse("statements-contradictions", args=[row.app_id]), row.alarm_at
        ),
        oldest_first=("alarm_at", "pk"),
        button=gettext_lazy("Compare"),
    ),
    ToDecide(
        "unallocated",
        "unallocated",
        UNALLOCATED,
        list_unplaced,
        describe=_describe_unplaced,
        oldest_first=("moment", "pk"),
        button=gettext_lazy("Allocate"),
    ),
    ToDecide("question", "statements", WITH_QUESTION, list_with_question, "?waits=question"),
]
