"""Tables of the worker: the last beat, and base models of jobs that run in steps."""

from typing import Any, Self

from django.db import models
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.encryption import EncryptedTextField, bind

RUNNING, FAILED, IDLE = "running", "failed", "idle"


class Heartbeat(models.Model):
    """Time of the last beat of any worker, in one row (duties.py)."""

    beat_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"heartbeat at {self.beat_at}"


class Job(models.Model):
    """Work of a worker in steps.

    A step is a compare-and-swap of `version`, so that only one of several workers takes the step.
    `heartbeat_at` is the time of the last step. If a worker dies, the `state` of the job does not
    change, and `walks.resume_lost` lets another worker continue. Each subclass declares its own
    states.
    """

    state: "models.CharField[str,str]"
    version = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    def list_same(self) -> QuerySet[Self]:
        """Return the row if its step and state are still those of this object."""
        rows = type(self)._default_manager.filter(pk=self.pk, version=self.version)
        return rows.filter(state=self.state)

    def step(self, **changes: Any) -> bool:
        """Claim the next step and save these columns; return False if another process was faster.

        If the step was claimed, this object also gets the new values.
        """
        changes = {"heartbeat_at": timezone.now(), **changes, "version": self.version + 1}
        if not self.list_same().update(**bind(self, **changes)):
            return False
        for name, value in changes.items():
            setattr(self, name, value)
        return True


class WalkRow(Job):
    """A walk through one list of an app: its state, and the position from which it continues.

    `state` is RUNNING while the walk reads. A model adds its own states and `began_at`.
    """

    app_id = models.CharField(max_length=64)
    # Reason why the walk failed or stopped; during a walk, the last fault. May be empty.
    why = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True)
    # Items of the service's list that are not records or have no id.
    unreadable = models.PositiveIntegerField(default=0)
    page_token = EncryptedTextField(blank=True, bound_to=["app_id"])
    # Number of slices since the last step of the walk, and of pages since the last new item.
    tries = models.PositiveIntegerField(default=0)
    empty_pages = models.PositiveIntegerField(default=0)
    # True if the walk began again because the service refused its own page token.
    restarted = models.BooleanField(default=False)

    class Meta:
        abstract = True


class IndexRow(WalkRow):
    """State of a table that is a copy of a list, and of the repeated walk that updates the table.

    `walk` is the number of the walk. Each row that the walk saw gets this number.
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
    # Number of items that the last complete walk found.
    known = models.PositiveIntegerField(default=0)
    walk = models.PositiveIntegerField(default=0)
    seen = models.PositiveIntegerField(default=0)
    # True after the last page, while records that the list left out are requested one by one.
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
