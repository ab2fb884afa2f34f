"""Tables of the worker: its last beat, and the base of jobs that run in steps."""

from typing import Any, Self

from django.db import models
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.encryption import EncryptedTextField, bind

RUNNING, FAILED, IDLE = "running", "failed", "idle"


class Heartbeat(models.Model):
    """Time of the last beat of any worker: one row, written from time to time (duties.py)."""

    beat_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"heartbeat at {self.beat_at}"


class Job(models.Model):
    """Work of a worker in steps.

    `version` guards each step by a compare-and-swap, so that only one of several workers takes the
    step. `heartbeat_at` is the time of the last step. A worker that dies leaves the job in its
    `state`, and `walks.resume_lost` lets the next worker continue. A model adds its own states.
    """

    state: "models.CharField[str,str]"
    version = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    def list_same(self) -> QuerySet[Self]:
        """Return the row if it is still at the step and in the state of this object."""
        rows = type(self)._default_manager.filter(pk=self.pk, version=self.version)
        return rows.filter(state=self.state)

    def step(self, **changes: Any) -> bool:
        """Claim the next step and save columns; return False if another process was faster.

        After success the object has the new values.
        """
        changes = {"heartbeat_at": timezone.now(), **changes, "version": self.version + 1}
        if not self.list_same().update(**bind(self, **changes)):
            return False
        for name, value in changes.items():
            setattr(self, name, value)
        return True


class WalkRow(Job):
    """A walk through one list of an app: its state, and the position where it continues.

    `state` is RUNNING while the walk reads. A model adds its own states and `began_at`.
    """

    app_id = models.CharField(max_length=64)
    # Reason of the failure or stop; during a walk, the last fault. Empty if there was none.
    why = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True)
    # Items of the service's list that are not records or have no id.
    unreadable = models.PositiveIntegerField(default=0)
    page_token = EncryptedTextField(blank=True, bound_to=["app_id"])
    # Slices begun since the last step of the walk, and pages read since the last new item.
    tries = models.PositiveIntegerField(default=0)
    empty_pages = models.PositiveIntegerField(default=0)
    # True if the walk started over because the service refused its own page token.
    restarted = models.BooleanField(default=False)

    class Meta:
        abstract = True


class IndexRow(WalkRow):
    """State of a table that copies a list, and of the walk that is repeated to update it.

    `walk` is the number of the walk; each row that the walk saw gets this number.
    """

    class State(models.TextChoices):
        IDLE = IDLE, _("not running")
        RUNNING = RUNNING, _("running")
        FAILED = FAILED, _("stopped")

    state = models.CharField(max_length=8, choices=State.choices, default=State.IDLE)
    began_at = models.DateTimeField(null=True)
    # None before the first walk.
    heartbeat_at = models.DateTimeField(null=True)  # type: ignore[assignment]
    # End of the last complete walk. The table has all records only after a complete walk.
    complete_at = models.DateTimeField(null=True)
    # The number of items that the last complete walk found.
    known = models.PositiveIntegerField(default=0)
    walk = models.PositiveIntegerField(default=0)
    seen = models.PositiveIntegerField(default=0)
    # True while records that the list left out are requested one by one, after its last page.
    is_confirming = models.BooleanField(default=False)
    # Creation time of the last item that the walk saw; None if the list is not newest first.
    last_made_at = models.DateTimeField(null=True)
    # True if the list of the last complete walk was newest first up to its end.
    is_newest_first = models.BooleanField(default=False)

    class Meta:
        abstract = True

    @property
    def is_walking(self) -> bool:
        """True if a walk is running."""
        return self.state == RUNNING
