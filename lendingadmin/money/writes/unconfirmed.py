"""Common parts of writes whose answer may be missing: due checks, alarms, resolutions.

Repayments have one table and all other writes another; both are built on UnconfirmedWrite. Their
own modules define what a check reads and changes. This module decides when a check is due, which
process makes the check, and when checking ends.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from lendingadmin.core.encryption import EncryptedTextField

# After this time, the deadline of a call has long passed, so the process of the call has died.
SENDER_LOST = timedelta(seconds=90)
# After this age, only a person starts a check.
CHECK_FOR = timedelta(hours=24)
# The shortest time between a check and the next check that a person asks for.
_APART = timedelta(seconds=2)
_FIRST_DELAYS = (1, 2, 4, 8, 15)


class UnconfirmedWrite(models.Model):
    """A row that is committed before its call, under the idempotency key of the form.

    `attempts` is the number of checks. The caller that claims a check increases `attempts` with a
    compare-and-swap. `alarm` is a sentence that a manager must see: the service later contradicted
    a final conclusion of the dashboard. The sentence has no personal content.
    """

    idempotency_key = models.CharField(max_length=64, unique=True)
    created_at: Any
    sent_at: Any

    attempts = models.PositiveIntegerField(default=0)
    next_check_at = models.DateTimeField(null=True)

    alarm = models.TextField(blank=True)
    alarm_at = models.DateTimeField(null=True)
    alarm_seen_at = models.DateTimeField(null=True)

    # Most rows have no resolver, so the reference has no index of its own.
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    resolution_reason = EncryptedTextField(blank=True, bound_to=["idempotency_key"])

    class Meta:
        abstract = True

    @property
    def age(self) -> timedelta:
        """Time since the write was sent, or, if this is unknown, since the write was committed."""
        sent_at: datetime = self.sent_at or self.created_at
        return timezone.now() - sent_at

    @property
    def is_past_checking(self) -> bool:
        """True if the write is too old for automatic checks."""
        return self.age > CHECK_FOR


Row = TypeVar("Row", bound=UnconfirmedWrite)


def next_delay(attempts: int, age: timedelta) -> timedelta:
    """Return the wait before the next check. It depends on the number of checks and the age."""
    if attempts < len(_FIRST_DELAYS):
        return timedelta(seconds=_FIRST_DELAYS[attempts])
    if age < timedelta(minutes=2):
        return timedelta(seconds=_FIRST_DELAYS[-1])
    return timedelta(minutes=1) if age < timedelta(hours=1) else timedelta(minutes=5)


def run_due_check(row: Row, checked: models.QuerySet[Row], check: Callable[[], object]) -> bool:
    """Claim the check of this row if it is due, and run it; return True if this caller ran it.

    `checked` are all rows that may be checked. If many callers come at the same time, only one of
    them checks. If the process dies before the check ends, there will be another check, even if
    this was the last planned check.
    """
    if not _claim(row, checked):
        return False
    check()
    if row.is_past_checking:
        checked.filter(pk=row.pk, attempts=row.attempts).update(next_check_at=None)
        row.refresh_from_db()
    return True


def _claim(row: Row, checked: models.QuerySet[Row]) -> bool:
    """Claim this check and schedule the next one, in one update.

    Return False if the check is not due or if another caller claimed it.
    """
    now = timezone.now()
    if row.next_check_at is None or row.next_check_at > now:
        return False
    pause = SENDER_LOST if row.is_past_checking else next_delay(row.attempts + 1, row.age)
    due = checked.filter(pk=row.pk, attempts=row.attempts, next_check_at__lte=now)
    claimed = due.update(attempts=row.attempts + 1, next_check_at=now + pause)
    row.refresh_from_db()
    return claimed == 1


def make_due(row: Row, checked: models.QuerySet[Row], checked_at: datetime | None) -> None:
    """Make a check due at a person's request, unless the last check was a moment ago."""
    now = timezone.now()
    if checked_at is None or now - checked_at >= _APART:
        checked.filter(pk=row.pk).update(next_check_at=now)
        row.refresh_from_db()


def build_alarm(text: str) -> dict[str, Any]:
    """Return the fields of a new alarm, for an update of its row."""
    return {"alarm": text, "alarm_at": timezone.now(), "alarm_seen_at": None}


def filter_unseen_alarms(rows: models.QuerySet[Row]) -> models.QuerySet[Row]:
    """Return the rows with an alarm that no manager has seen, the oldest alarm first."""
    return rows.filter(alarm_at__isnull=False, alarm_seen_at__isnull=True).order_by(
        "alarm_at", "id"
    )


def mark_alarm_seen(row: UnconfirmedWrite) -> bool:
    """Mark the alarm as seen; return False if there is no alarm or it was seen before."""
    rows = filter_unseen_alarms(type(row)._default_manager.filter(pk=row.pk))
    return rows.order_by().update(alarm_seen_at=timezone.now()) == 1
