"""Looking for evidence of what is unknown, and sweeping up what its sender left behind.

Called by pages while somebody looks, and by `manage.py reconcile`. Whoever claims a due look first
takes it, so that many people at one page cost one call.
"""

import time
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from lendingadmin.lending.values import Loan
from lendingadmin.web.following import SENDER_LOST as SENDER_LOST
from lendingadmin.web.following import WATCH_FOR as WATCH_FOR

from . import ledger, sending
from .attribution import attribution_of, others_of, paid_at
from .evidence import Effect, conclude, next_delay
from .models import Reading, Repayment
from .states import State, Verdict

# Seconds after which a page takes no further look.
_PATIENCE = 3.0

# A look that a person asks for comes this long after the last one at the earliest.
_APART = timedelta(seconds=2)

# What may yet turn up at the service: watching goes on after a conclusion, for a late rise. Of what
# is recorded a look is due only where its effect was not read yet.
_WATCHED = Q(state__in=(State.UNKNOWN, State.NO_TRACE, State.RECORDED)) | Q(
    state=State.SETTLED, settled_as=Verdict.NOT_RECORDED
)

_REASONS = {
    State.INFERRED: "Paid rose by exactly this amount; another payment may explain it.",
    State.NO_TRACE: "Two fresh readings after the quiet time show no rise.",
}


def sweep() -> int:
    """Conclude what senders left behind: expired intents were not sent, as far as this journal
    knows, and what was sent without an answer is unknown.
    """
    now = timezone.now()
    expired = Repayment.objects.filter(state=State.PENDING, send_before__lte=now)
    lost = Repayment.objects.filter(state=State.SENT, sent_at__lte=now - SENDER_LOST)
    swept = 0
    for repayment in expired:
        why = "Its sender stopped before it sent anything, as far as this journal knows."
        swept += ledger.move(repayment, State.NOT_SENT, by=None, why=why, ended_by_sweep=True)
    for repayment in lost:
        why = "Its sender stopped before an answer was kept here."
        swept += ledger.move(repayment, State.UNKNOWN, by=None, why=why, next_look_at=now)
    return swept


def due(app_id: str | None = None) -> list[Repayment]:
    """The watched repayments whose next look is due now, the longest waiting first."""
    rows = Repayment.objects.filter(_WATCHED, next_look_at__lte=timezone.now())
    return list((rows.filter(app_id=app_id) if app_id else rows).order_by("next_look_at")[:500])


def look_at_due(app_id: str, at_most: int) -> None:
    """Take the looks that are due in an app, while a page waits for it.

    Stops at the first that fails and after a few seconds: a service that hangs must not hold up
    the desk once for each of them.
    """
    until = time.monotonic() + _PATIENCE
    for repayment in due(app_id)[:at_most]:
        look_if_due(repayment)
        latest = repayment.latest
        if time.monotonic() > until or (latest and latest.fault):
            return


def look_if_due(repayment: Repayment, fresh: Loan | None = None) -> None:
    """Take the next look at the loan if it is due and nobody else has claimed it.

    `fresh` is the loan where the caller has read it this very moment.
    """
    if repayment.state in (State.PENDING, State.SENT):
        sweep()
        repayment.refresh_from_db()
    if not _claim(repayment):
        return
    if repayment.state == State.RECORDED:
        sending.see_effect(repayment, fresh)
        return
    sending.read(repayment, Reading.Kind.LOOK, fresh)
    if repayment.state == State.UNKNOWN:
        _conclude(repayment)
    else:
        _watch_for_late_rise(repayment)
    if _is_over(repayment):
        # Only now: whoever died on the way to the last reading leaves it to be taken again.
        rows = Repayment.objects.filter(_WATCHED, pk=repayment.pk, looks=repayment.looks)
        rows.update(next_look_at=None)
        repayment.refresh_from_db()


def _is_over(repayment: Repayment) -> bool:
    return timezone.now() - (repayment.sent_at or repayment.created_at) > WATCH_FOR


def _claim(repayment: Repayment) -> bool:
    """Take this look for ourselves and put the next one on the calendar, in one step."""
    now = timezone.now()
    since = now - (repayment.sent_at or repayment.created_at)
    pause = SENDER_LOST if _is_over(repayment) else next_delay(repayment.looks + 1, since)
    if repayment.next_look_at is None or repayment.next_look_at > now:
        return False
    rows = Repayment.objects.filter(_WATCHED, pk=repayment.pk, looks=repayment.looks)
    claimed = rows.filter(next_look_at__lte=now).update(
        looks=repayment.looks + 1, next_look_at=now + pause
    )
    repayment.refresh_from_db()
    return claimed == 1


def look_now(repayment: Repayment) -> None:
    """Take a look because a person asked for one, unless one was taken this very moment."""
    now, latest = timezone.now(), repayment.latest
    if latest is None or now - latest.taken_at >= _APART:
        Repayment.objects.filter(_WATCHED, pk=repayment.pk).update(next_look_at=now)
        repayment.refresh_from_db()
    look_if_due(repayment)


def inference_is_off(repayment: Repayment) -> bool:
    """Whether a repayment of this loan was set aside and not settled: a rise then tells nothing."""
    return Repayment.objects.filter(
        app_id=repayment.app_id,
        account_id=repayment.account_id,
        state=State.UNKNOWN,
        set_aside_at__isnull=False,
    ).exists()


def _conclude(repayment: Repayment) -> None:
    if inference_is_off(repayment):
        return
    baseline, looks = repayment.baseline, repayment.readings.filter(kind=Reading.Kind.LOOK)
    taken = [paid_at(look) for look in looks]
    if baseline is None or not taken:
        return
    since, until = baseline.taken_at, taken[-1].taken_at
    state = conclude(
        paid_at(baseline),
        taken,
        repayment.moves_paid_by,
        (repayment.sent_at or repayment.created_at) + settings.REPAYMENT_QUIET,
        [other for _, other in others_of(repayment, since, until)],
    )
    if state != State.UNKNOWN:
        fields = {"next_look_at": None} if state == State.INFERRED else {}
        ledger.move(repayment, state, by=None, why=_REASONS[state], **fields)


def _watch_for_late_rise(repayment: Repayment) -> None:
    """A rise after it was given up that nothing else entered here explains is for a person."""
    found = attribution_of(repayment, after=repayment.latest)
    if found and found.effect in (Effect.SEEN, Effect.MORE):
        ledger.raise_alarm(
            repayment,
            "Paid rose late, by at least this amount: it may have been recorded after all.",
        )
