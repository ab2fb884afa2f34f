"""Progress of a batch: the findings, the results of its rows, and the rate."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, Sum

from lendingadmin.core.monitoring.metrics import TableGauge
from lendingadmin.core.worker.walks import read_last_moved
from lendingadmin.money.repayments.managers import STANDINGS
from lendingadmin.money.repayments.models import Repayment

from . import allocating
from .findings import Decision, Finding
from .lines import Kind
from .models import Allocation, Batch
from .rows import describe_finding

# No rate is shown before this many seconds.
_LEAST_SECONDS = 3


def read_parts(batch: Batch) -> list[dict[str, Any]]:
    """Return the batch's rows by finding, with sums by currency. Each row is in one part."""
    groups = batch.allocations.values("finding", "line__currency").annotate(
        rows=Count("pk"),
        undecided=Count("pk", filter=allocating.UNDECIDED),
        total=Sum("amount"),
    )
    found: dict[str, dict[str, Any]] = {}
    for group in groups.order_by("line__currency"):
        finding = group["finding"]
        new = {"finding": finding, "chip": describe_finding(finding), "rows": 0, "undecided": 0}
        own = found.setdefault(finding, new | {"amounts": []})
        own["rows"] += group["rows"]
        own["undecided"] += group["undecided"]
        own["amounts"].append((group["line__currency"], group["total"]))
    return [found[one] for one in Finding if one in found]


def read_progress(batch: Batch, now: datetime) -> dict[str, Any]:
    """Return the numbers of a batch's rows, with three queries; `results` add up to `entered`.

    `open_rows` wait for a person, and `to_do` are accepted rows that are not entered yet. `known`
    are already recorded. `others` are rows for which nothing has to be done, such as reversed
    payments and rows that a person left out.
    """
    accepted, held = Q(decision=Decision.ACCEPTED), Q(is_held=True)
    counts = batch.allocations.aggregate(
        rows=Count("pk"),
        accepted=Count("pk", filter=accepted),
        held=Count("pk", filter=accepted & held & Q(repayment=None)),
        entered=Count("repayment", filter=accepted),
        open_rows=Count("pk", filter=allocating.UNDECIDED),
        known=Count("pk", filter=~accepted & Q(finding=Finding.RECORDED)),
    )
    since = batch.recording_since or now
    results = Repayment.objects.filter(allocations__batch=batch).aggregate(
        **{name: Count("pk", filter=wanted) for name, wanted in STANDINGS.items()},
        lately=Count("pk", filter=Q(created_at__gte=since)),
    )
    seconds, lately = (batch.heartbeat_at - since).total_seconds(), results.pop("lately")
    left = counts["rows"] - counts["accepted"] - counts["open_rows"] - counts["known"]
    return counts | {
        "lines": batch.file.lines.filter(kind=Kind.PAYMENT).count(),
        "to_do": counts["accepted"] - counts["entered"],
        "others": left,
        "results": results,
        "per_minute": round(lately * 60 / seconds)
        if seconds >= _LEAST_SECONDS and lately
        else None,
    }


# --- gauges for monitors (`GAUGES`). They are fast, because a statement has only one batch. ---

State = Batch.State
Readings = list[tuple[tuple[str, ...], float]]


def read_states() -> Readings:
    """Return the number of batches of each app, by state, without DONE."""
    rows = Batch.objects.values_list("file__app_id", "state").order_by()
    found = {(app, state): count for app, state, count in rows.annotate(Count("pk"))}
    states = [state.value for state in State if state != State.DONE]
    return [((app, state), found.get((app, state), 0)) for app in _list_apps() for state in states]


def read_rows_to_go() -> Readings:
    """Return the number of accepted payments of each app that are not entered yet.

    Only batches count whose recording has begun.
    """
    begun = Batch.objects.filter(state__in=(State.RECORDING, State.PAUSED))
    rows = Allocation.objects.filter(batch__in=begun, decision=Decision.ACCEPTED, repayment=None)
    counts = rows.values_list("batch__file__app_id").annotate(Count("pk")).order_by()
    found = dict(counts)
    return [((app,), found.get(app, 0)) for app in _list_apps()]


def _list_apps() -> list[str]:
    return [app.app_id for app in settings.LENDING_APPS]


GAUGES = [
    TableGauge(
        "batches",
        "Batches of statements that are not done, by app and state.",
        ("app", "state"),
        read_states,
    ),
    TableGauge(
        "batch_rows_to_go",
        "Payments of batches that are accepted and not entered yet, by app.",
        ("app",),
        read_rows_to_go,
    ),
    TableGauge(
        "batch_moved_seconds",
        "Last change of the slowest batch in progress, by app; 0 if there is none.",
        ("app",),
        lambda: read_last_moved(
            Batch.objects.filter(state__in=(State.CHECKING, State.RECORDING)), "file__app_id"
        ),
    ),
]
