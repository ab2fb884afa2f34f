"""Alarms: what a manager must see of a record although its state is final.

The service contradicted late what was concluded here. An alarm stays with its record; once a
manager has seen it, it leaves the lists.
"""

from typing import Any, TypeVar

from django.db import models
from django.utils import timezone


class Alarmed(models.Model):
    """A record that can bear an alarm; `alarm` is its sentence and holds no personal content."""

    alarm = models.TextField(blank=True)
    alarm_at = models.DateTimeField(null=True)
    alarm_seen_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


Row = TypeVar("Row", bound=Alarmed)


def build_alarm(text: str) -> dict[str, Any]:
    """The fields of a new alarm, for an update of its record."""
    return {"alarm": text, "alarm_at": timezone.now(), "alarm_seen_at": None}


def filter_unseen(rows: models.QuerySet[Row]) -> models.QuerySet[Row]:
    """Those of the rows with an alarm that no manager has seen, the oldest alarm first."""
    return rows.filter(alarm_at__isnull=False, alarm_seen_at=None).order_by("alarm_at")


def mark_seen(row: Alarmed) -> bool:
    """Note that the alarm was seen. False where there is none, or somebody saw it before."""
    rows = filter_unseen(type(row)._default_manager.filter(pk=row.pk))
    return rows.order_by().update(alarm_seen_at=timezone.now()) == 1
