"""Figures of calls by queue and by person, such as attempts, borrowers reached and promises."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, F, Q
from django.utils.translation import gettext as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.repayments.managers import get_midnight

from .models import Call
from .queues import name_queues
from .states import SPOKEN, Outcome, PromiseState


class CallFigures(NamedTuple):
    """Figures of outgoing calls in a period. `label` names the queue or the person.

    `kept` is the number of fulfilled promises among those made in the period.
    """

    label: str
    attempts: int
    reached: int
    promised: int
    kept: int


def count_by_queue(app: LendingApp, first: date, last: date) -> list[CallFigures]:
    """Return the figures by queue, in the order of the queues, for days `first` to `last`.

    Both days are included. Calls without a queue come last.
    """
    found = {one["queue"]: one for one in _group(app, first, last, "queue")}
    labels = name_queues(app.app_id, found) | {"": _("Found by search")}
    return [_build(label, found[key]) for key, label in labels.items() if key in found]


def count_by_person(app: LendingApp, first: date, last: date) -> list[CallFigures]:
    """Return the figures by person, the most attempts first. Both days are included."""
    groups = _group(app, first, last, "name")
    return [_build(one["name"], one) for one in sorted(groups, key=lambda one: -one["attempts"])]


def _group(app: LendingApp, first: date, last: date, by: str) -> Sequence[dict[str, Any]]:
    since = get_midnight(first, app.zone)
    until = get_midnight(last + timedelta(days=1), app.zone)
    rows = Call.objects.filter(app_id=app.app_id, called_at__gte=since, called_at__lt=until)
    rows = rows.filter(is_incoming=False).exclude(outcome=Outcome.NOTICE)
    rows = rows.annotate(name=F("called_by__username"))
    groups = (
        rows.values(by)
        .order_by(by)
        .annotate(
            attempts=Count("pk"),
            reached=Count("pk", filter=Q(outcome__in=SPOKEN)),
            promised=Count("pk", filter=Q(outcome=Outcome.PROMISE)),
            kept=Count("pk", filter=Q(promise__state=PromiseState.KEPT)),
        )
    )
    return list(groups)


def _build(label: str, group: dict[str, Any]) -> CallFigures:
    names = ("attempts", "reached", "promised", "kept")
    return CallFigures(label, *(group[name] for name in names))
