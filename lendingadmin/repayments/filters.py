"""What the journal's filter asks of the repayment table."""

from functools import reduce
from operator import and_, or_
from typing import Any

from django.db.models import Q, QuerySet

from lendingadmin.gateway import LendingApp
from lendingadmin.staff.models import User
from lendingadmin.ui.keyset import unindexed

from .managers import NOT_GIVEN, STANDINGS, RepaymentQuerySet
from .models import Mistake, Repayment, normalise_external_id
from .states import OPEN, RepaymentState, Resolution


def build_conditions(wanted: dict[str, Any], app: LendingApp) -> dict[str, Q]:
    """What each filled field of a JournalForm's cleaned data asks for, but for the days."""
    found = {}
    if wanted["state"]:
        found["state"] = reduce(or_, _list_states(wanted["state"]))
    if wanted["mistake"]:
        found["mistake"] = Q(pk__in=_list_reports(wanted["mistake"]).values("repayment"))
    if wanted["person"]:
        found["person"] = Q(created_by__in=_find_people(wanted["person"]))
    if wanted["record"]:
        found["record"] = reduce(or_, _match_record(wanted["record"]))
    left_empty = {"channel": NOT_GIVEN, "network": NOT_GIVEN, "currency_code": app.currency}
    for column, default in left_empty.items():
        value = wanted[column.partition("_")[0]]
        if value:
            same = (value, "") if value == default else (value,)
            found[column] = Q(**{f"{column}__in": same})
    return found


def get_order(wanted: dict[str, Any]) -> str:
    """The moment that a journal so filtered is ordered by: the one that its days are of."""
    return "transaction_date" if wanted["by"] else "created_at"


def list_sources(
    rows: RepaymentQuerySet, wanted: dict[str, Any], app: LendingApp
) -> tuple[list[RepaymentQuerySet], Q | None]:
    """Where `keyset.read_slice` finds what a JournalForm asks for, and what it leaves out of that.

    Each source is short, or in the order of an index.
    """
    own = Repayment.objects.filter(app_id=app.app_id)
    rest = build_conditions(wanted, app)
    rows = rows.on_days(wanted["since"], wanted["until"], wanted["by"], app.zone)
    found = [rows.filter(app_id=app.app_id)]
    if rest.pop("record", None):
        # Found first, sorted then: else SQLite reads the app's whole journal in its order.
        same = [own.filter(one).values("pk") for one in _match_record(wanted["record"])]
        found = [rows.filter(pk__in=one) for one in same]
    elif rest.pop("mistake", None):
        reports = _list_reports(wanted["mistake"]).filter(
            unindexed(Q(repayment__app_id=app.app_id))
        )
        found = [rows.filter(pk__in=reports.values("repayment"))]
    elif wanted["by"]:
        pass  # Of the indexes, only the app's is in the order of that day.
    elif rest.pop("state", None):
        found = [found[0].filter(one) for one in _list_states(wanted["state"])]
    elif rest.pop("person", None):
        found = [found[0].filter(created_by=person) for person in _find_people(wanted["person"])]
    return found, reduce(and_, rest.values()) if rest else None


def _list_states(wanted: str) -> list[Q]:
    """A state, or a standing of several, as conditions that each name one state."""
    several = {
        "landed": [
            Q(state=RepaymentState.RECORDED),
            Q(state=RepaymentState.PRESUMED),
            Q(state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED),
        ],
        "doubtful": [Q(state=state) for state in (*OPEN, RepaymentState.NOT_FOUND)],
        "abandoned": [STANDINGS["abandoned"]],
    }
    return several.get(wanted, [Q(state=wanted)])


def _find_people(name: str) -> list[int]:
    return list(User.objects.filter(username__iexact=name.strip()).values_list("pk", flat=True))


def _list_reports(wanted: str) -> QuerySet[Mistake]:
    return Mistake.objects.order_by().filter(reviewed_at__isnull=wanted == "open")


def _match_record(record: str) -> tuple[Q, Q, Q]:
    """What may be looked for as a loan, a borrower or a transaction id."""
    record = record.strip()
    same_id = Q(external_id_key=normalise_external_id(record))
    return same_id, Q(account_id=record), Q(borrower_id=record)
