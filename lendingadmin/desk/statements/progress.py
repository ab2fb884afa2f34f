"""Progress of a batch: the findings, the results of its rows, and the rate."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, Min, Q, Sum

from lendingadmin.core.monitoring.metrics import TableGauge
from lendingadmin.money.repayments.managers import STANDINGS
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.web.display.statuses import Status

from . import allocating
from .findings import Decision, Finding
from .lines import Kind
from .models import Allocation, Batch
from .rows import describe_finding

# No rate is shown before this many seconds.
_LEAST_SECONDS = 3


class Part(NamedTuple):
    """Rows with one finding: their number, how many are undecided, and their sums by currency."""

    finding: str
    chip: Status
    rows: int
    undecided: int
    amounts: list[tuple[str, Decimal]]


@dataclass(frozen=True)
class Progress:
    """Counts of a batch's rows; the results add up to `entered`.

    `open_rows` wait for a person. `known` are already recorded, and `others` are rows for which
    nothing has to be done, such as reversed payments and rows that a person left out.
    """

    lines: int
    rows: int
    accepted: int
    entered: int
    held: int
    open_rows: int
    known: int
    results: Mapping[str, int]
    per_minute: int | None

    @property
    def to_do(self) -> int:
        """Number of accepted rows that are not entered yet."""
        return self.accepted - self.entered

    @property
    def others(self) -> int:
        """Number of rows that are neither accepted, open nor already recorded."""
        return self.rows - self.accepted - self.open_rows - self.known

    @property
    def recorded(self) -> int:
        """Number of rows that are known to be recorded."""
        return self.results["landed"]


def read_parts(batch: Batch) -> list[Part]:
    """Return the batch's rows by finding, with sums by currency. Each row is in one part."""
    columns = ("finding", "decision", "line__currency")
    groups = batch.allocations.values(*columns).annotate(rows=Count("pk"), total=Sum("amount"))
    found: dict[str, dict[str, Any]] = {}
    for group in groups.order_by(*columns):
        own = found.setdefault(group["finding"], {"rows": 0, "undecided": 0, "amounts": {}})
        own["rows"] += group["rows"]
        own["undecided"] += group["rows"] if group["decision"] == Decision.OPEN else 0
        code = group["line__currency"]
        own["amounts"][code] = own["amounts"].get(code, Decimal(0)) + group["total"]
    return [
        Part(
            finding,
            describe_finding(finding),
            own["rows"],
            own["undecided"],
            list(own["amounts"].items()),
        )
        for finding, own in ((one.value, found[one]) for one in Finding if one in found)
    ]


def read_progress(batch: Batch, now: datetime) -> Progress:
    """Return the progress of a batch, with three queries."""
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
    return Progress(
        lines=batch.file.lines.filter(kind=Kind.PAYMENT).count(),
        results=results,
        per_minute=round(lately * 60 / seconds) if seconds >= _LEAST_SECONDS and lately else None,
        **counts,
    )


# --- gauges for monitors (`GAUGES`). Batches are few, because a statement has only one. ---

State = Batch.State
Readings = list[tuple[tuple[str, ...], float]]


def read_states() -> Readings:
    """Return the number of batches of each app in each state except DONE."""
    rows = Batch.objects.exclude(state=State.DONE).order_by()
    found = dict(
        ((app_id, state), count)
        for app_id, state, count in rows.values_list("file__app_id", "state").annotate(Count("pk"))
    )
    states = [state.value for state in State if state != State.DONE]
    apps = [app.app_id for app in settings.LENDING_APPS]
    return [((app, state), found.get((app, state), 0)) for app in apps for state in states]


def read_rows_to_go() -> Readings:
    """Return the number of accepted payments of each app that a recording must still enter.

    A paused recording counts too, because a person may resume it.
    """
    begun = Batch.objects.filter(state__in=(State.RECORDING, State.PAUSED))
    app_of = dict(begun.values_list("pk", "file__app_id"))
    rows = Allocation.objects.filter(
        batch__in=app_of, decision=Decision.ACCEPTED, repayment=None
    ).order_by()
    found = Counter[str]()
    for pk, count in rows.values_list("batch").annotate(Count("pk")):
        found[app_of[pk]] += count
    return [((app.app_id,), found[app.app_id]) for app in settings.LENDING_APPS]


def read_last_moved() -> Readings:
    """Return the time when the longest-waiting batch of each app last moved.

    Only batches that the worker processes are counted. The value is 0 if there is none.
    """
    in_hand = Batch.objects.filter(state__in=(State.CHECKING, State.RECORDING)).order_by()
    found = dict(in_hand.values_list("file__app_id").annotate(Min("heartbeat_at")))
    apps = [app.app_id for app in settings.LENDING_APPS]
    return [((app,), found[app].timestamp() if app in found else 0.0) for app in apps]


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
        "When the slowest batch that the worker has in hand last moved, by app; 0 for none.",
        ("app",),
        read_last_moved,
    ),
]
