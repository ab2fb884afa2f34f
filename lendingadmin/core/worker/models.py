"""When a worker beat last, and the columns that every walk through a list of the service has."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.encryption import EncryptedTextField

RUNNING, FAILED, IDLE = "running", "failed", "idle"


class Heartbeat(models.Model):
    """When any worker beat last: one row, written now and then (duties.py)."""

    beat_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"heartbeat at {self.beat_at}"


class WalkRow(models.Model):
    """A walk through one list of an app: how it stands, and where it goes on.

    `state` is RUNNING while it reads: a worker that dies leaves it so, and the next one goes on.
    `version` guards each page by a compare-and-swap. A model adds its own states, `began_at` and
    `heartbeat_at`, the moment of its last step.
    """

    state: "models.CharField[str,str]"
    app_id = models.CharField(max_length=64)
    # Why it failed or was stopped; while it runs, the last fault. Empty where there was none.
    why = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True)
    # Items of the service's list that are none or have no id.
    unreadable = models.PositiveIntegerField(default=0)
    page_token = EncryptedTextField(blank=True, bound_to=["app_id"])
    version = models.PositiveIntegerField(default=0)
    # Slices begun, and pages read, since something new was last added.
    tries = models.PositiveIntegerField(default=0)
    empty_pages = models.PositiveIntegerField(default=0)
    # Started over because the service refused its own page token.
    restarted = models.BooleanField(default=False)

    class Meta:
        abstract = True


class IndexRow(WalkRow):
    """What a table knows of a list, and the walk that is repeated to keep it so.

    `walk` counts the walks and is written to each row of the table that a walk saw.
    """

    class State(models.TextChoices):
        """What the walk is doing."""

        IDLE = IDLE, _("not walking")
        RUNNING = RUNNING, _("walking")
        FAILED = FAILED, _("broken off")

    state = models.CharField(max_length=8, choices=State.choices, default=State.IDLE)
    began_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    # When the last whole walk ended: from then on the table answers for everything.
    complete_at = models.DateTimeField(null=True)
    # How many the last whole walk found.
    known = models.PositiveIntegerField(default=0)
    walk = models.PositiveIntegerField(default=0)
    seen = models.PositiveIntegerField(default=0)
    # The list was read to its end; what it left out is asked for one by one.
    is_confirming = models.BooleanField(default=False)
    # While a walk saw the newest first: when the last one seen was created. Null where it did not.
    last_made_at = models.DateTimeField(null=True)
    # Whether the last whole walk saw the newest first, from the first to the last.
    is_newest_first = models.BooleanField(default=False)

    class Meta:
        abstract = True

    @property
    def is_walking(self) -> bool:
        """Whether a walk is under way."""
        return self.state == RUNNING
