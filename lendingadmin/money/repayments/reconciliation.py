"""Checks of UNKNOWN repayments against the loan, and the sweep after a lost sender.

The sweep marks the repayments of a lost sender as unknown. Open pages, the worker and `manage.py
reconcile` call this module. A caller claims a due check with a compare-and-swap, so several people
on one page cause only one call.
"""

import time
from datetime import datetime, timedelta
from itertools import zip_longest

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from lendingadmin.core.monitoring.metrics import TableGauge
from lendingadmin.lending.values import Loan
from lendingadmin.money.writes.unconfirmed import SENDER_LOST, make_due, run_due_check
from lendingadmin.web.navigation import Badge

from . import sending, services
from .attribution import attribution_of, others_of, paid_at
from .evidence import Effect, conclude
from .models import Reading, Repayment
from .states import RepaymentState, Resolution

# After this many seconds, a page starts no further check.
RUN_FOR = 3.0

# The most repayments that are processed at once. After a day's outage, more would fill the memory
# or delay a page.
_AT_MOST = 200

# If a check has been due for longer than this, the workers are too slow or stopped.
_LATE_CHECK = timedelta(minutes=5)

# The repayments that are checked. Checks continue after a conclusion, because `paid` may rise late.
# For a recorded repayment, checks continue only until its effect is read.
_CHECKED = Q(
    state__in=(RepaymentState.UNKNOWN, RepaymentState.NOT_FOUND, RepaymentState.RECORDED)
) | Q(state=RepaymentState.RESOLVED, resolution=Resolution.NOT_RECORDED)

_REASONS = {
    RepaymentState.PRESUMED: _(
        "The loan's paid amount rose by exactly this amount. Another payment may explain the rise."
    ),
    RepaymentState.NOT_FOUND: _(
        "The loan was read twice after the waiting time. Its paid amount did not rise."
    ),
}
LATE_RISE = _(
    "The loan's paid amount rose late, by at least this amount. The repayment may have been "
    "recorded."
)


def conclude_overdue() -> int:
    """End expired repayments, and mark repayments of lost senders as unknown; return their number.

    An expired intent becomes “not sent, according to our records”. A sent repayment without an
    answer becomes unknown. A repayment that was not approved in time becomes declined. At most
    _AT_MOST of each kind change; the next call continues.
    """
    now = timezone.now()
    expired = Repayment.objects.filter(state=RepaymentState.PENDING, send_before__lte=now)[
        :_AT_MOST
    ]
    lost = Repayment.objects.filter(state=RepaymentState.SENT, sent_at__lte=now - SENDER_LOST)[
        :_AT_MOST
    ]
    swept = services.lapse_unapproved(_AT_MOST)
    for repayment in expired:
        why = _("According to our records, the dashboard stopped before it sent this repayment.")
        swept += services.move(
            repayment, RepaymentState.NOT_SENT, by=None, why=why, ended_by_sweep=True
        )
    for repayment in lost:
        why = _("The dashboard stopped before it saved the answer of the service.")
        swept += services.move(
            repayment, RepaymentState.UNKNOWN, by=None, why=why, next_check_at=now
        )
    return swept


def list_due() -> list[Repayment]:
    """Return the repayments whose next check is due now, the longest waiting first.

    Return at most _AT_MOST. A checked repayment is no longer due, so the next call returns others.
    Each app gets the same share and the apps take turns, so that an app whose service hangs does
    not block the others.
    """
    share = _AT_MOST // len(settings.LENDING_APPS)
    by_app = [_list_due_of(app.app_id, share) for app in settings.LENDING_APPS]
    return [row for turn in zip_longest(*by_app) for row in turn if row]


def find_late_check() -> str:
    """Return a sentence for an operator about the oldest late check; empty if no check is late."""
    due = min((moment for moment in _find_oldest_due().values() if moment), default=None)
    if due is None or due > timezone.now() - _LATE_CHECK:
        return ""
    return f"a repayment has waited to be checked since {due:%Y-%m-%d %H:%M} UTC"


def read_oldest_due() -> list[tuple[tuple[str, ...], float]]:
    """Return the time of the oldest due check in each app, for a gauge; 0 if none is due."""
    found = _find_oldest_due().items()
    return [((app_id,), moment.timestamp() if moment else 0.0) for app_id, moment in found]


def read_unknown() -> list[tuple[tuple[str, ...], float]]:
    """Return the number of repayments that need checking in each app, for a gauge."""
    apps = [app.app_id for app in settings.LENDING_APPS]
    return [((app_id,), Repayment.objects.count_unknown(app_id)) for app_id in apps]


def _find_oldest_due() -> dict[str, datetime | None]:
    """Return the time since when the oldest check of each app is due; None if no check is due."""
    found = {app.app_id: _list_due_of(app.app_id, 1) for app in settings.LENDING_APPS}
    return {app_id: rows[0].next_check_at if rows else None for app_id, rows in found.items()}


def _list_due_of(app_id: str, at_most: int) -> list[Repayment]:
    rows = _list_checked().filter(app_id=app_id, next_check_at__lte=timezone.now())
    return list(rows.order_by("next_check_at")[:at_most])


def check_due(app_id: str, at_most: int) -> None:
    """Make the due checks of an app, while a page waits.

    Stop after a few seconds. Also stop at the first check that fails, because a service that hangs
    would delay the page at each check.
    """
    until = time.monotonic() + RUN_FOR
    for repayment in _list_due_of(app_id, at_most):
        check_if_due(repayment)
        latest = repayment.latest
        if time.monotonic() > until or (latest and latest.fault):
            return


def check_if_due(repayment: Repayment, fresh: Loan | None = None) -> None:
    """Check the repayment against its loan, if a check is due and no other caller claimed it.

    `fresh` is the loan if the caller has just read it.
    """
    if repayment.state in (RepaymentState.PENDING, RepaymentState.SENT):
        conclude_overdue()
        repayment.refresh_from_db()
    run_due_check(repayment, _list_checked(), lambda: _check(repayment, fresh))


def check_now(repayment: Repayment) -> None:
    """Check the repayment at a person's request, unless it was checked a moment ago."""
    latest = repayment.latest
    make_due(repayment, _list_checked(), latest.taken_at if latest else None)
    check_if_due(repayment)


def _list_checked() -> QuerySet[Repayment]:
    return Repayment.objects.filter(_CHECKED)


def _check(repayment: Repayment, fresh: Loan | None) -> None:
    if repayment.state == RepaymentState.RECORDED:
        sending.see_effects([repayment], fresh)
        return
    sending.save_reading(repayment, Reading.Kind.CHECK, fresh)
    if repayment.state == RepaymentState.UNKNOWN:
        _conclude(repayment)
    else:
        _check_for_late_rise(repayment)


def inference_is_off(repayment: Repayment) -> bool:
    """Return True if a repayment of this loan is set aside and not resolved.

    In that case, a rise of `paid` proves nothing.
    """
    return Repayment.objects.filter(
        app_id=repayment.app_id,
        account_id=repayment.account_id,
        state=RepaymentState.UNKNOWN,
        set_aside_at__isnull=False,
    ).exists()


def _conclude(repayment: Repayment) -> None:
    if inference_is_off(repayment):
        return
    baseline, readings = repayment.baseline, repayment.readings.filter(kind=Reading.Kind.CHECK)
    taken = [paid_at(reading) for reading in readings]
    if baseline is None or not taken:
        return
    since, until = baseline.taken_at, taken[-1].taken_at
    state = conclude(
        paid_at(baseline),
        taken,
        repayment.moves_paid_by,
        (repayment.sent_at or repayment.created_at) + settings.REPAYMENT_QUIET,
        [other for row, other in others_of(repayment, since, until)],
    )
    if state != RepaymentState.UNKNOWN:
        fields = {"next_check_at": None} if state == RepaymentState.PRESUMED else {}
        services.move(repayment, state, by=None, why=_(_REASONS[state]), **fields)


def _check_for_late_rise(repayment: Repayment) -> None:
    """Raise an alarm if `paid` rose after the repayment was abandoned.

    No alarm is raised if other repayments explain the rise.
    """
    found = attribution_of(repayment, after=repayment.latest)
    if found and found.effect in (Effect.SEEN, Effect.MORE):
        services.raise_alarm(repayment, _(LATE_RISE))


BADGE = Badge("needs-checking", lambda app_id, _person: Repayment.objects.needing_checks(app_id))
GAUGES = [
    TableGauge(
        "repayments_unknown",
        "Repayments that need checking, by app.",
        ("app",),
        read_unknown,
    ),
    TableGauge(
        "check_due_seconds",
        "Due time of the check that has waited longest; Unix time, 0 for none.",
        ("app",),
        read_oldest_due,
    ),
]
