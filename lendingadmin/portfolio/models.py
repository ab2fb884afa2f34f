"""Snapshots of the loan portfolio: its figures, and for each loan its account id and figures.

No personal data: neither borrowers nor names. Rows of a snapshot that is complete never change.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from lendingadmin.encryption import EncryptedTextField

from .amounts import AmountField

LONGEST_ID = 255
LONGEST_STATUS = 64


class Snapshot(models.Model):
    """One walk through all loans of an app, from its start to its outcome.

    `figures` is the JSON of `figures.Figures`. `state` leaves RUNNING once, and each page is added
    by a compare-and-swap on `version` (snapshot_job.py).
    """

    class State(models.TextChoices):
        """A worker that dies leaves RUNNING behind; the next one goes on."""

        RUNNING = "running", "running"
        DONE = "done", "complete"
        STOPPED = "stopped", "stopped"
        FAILED = "failed", "failed"

    app_id = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State.choices, default=State.RUNNING)
    # Why it failed or was stopped; while it runs, the last fault.
    why = models.TextField(blank=True)
    asked_by = models.ForeignKey(  # null: the clock
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    began_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(default=timezone.now)

    loans_read = models.PositiveIntegerField(default=0)
    # How many loans the last complete snapshot had.
    expected = models.PositiveIntegerField(null=True)
    # Items of the service's list that are no loan or have no id: in no figure.
    unreadable = models.PositiveIntegerField(default=0)
    figures = models.JSONField(default=dict)

    # The complete snapshot with which the amounts paid are compared.
    previous = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    page_token = EncryptedTextField(blank=True)
    version = models.PositiveIntegerField(default=0)
    # Slices begun, and pages read, since a loan was last added.
    tries = models.PositiveIntegerField(default=0)
    empty_pages = models.PositiveIntegerField(default=0)
    # Started over because the service refused its own page token.
    restarted = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id"],
                condition=Q(state="running"),
                name="portfolio_one_running_per_app",
            )
        ]
        indexes = [models.Index(fields=["app_id", "-id"], name="portfolio_snapshot_of_app")]

    def __str__(self) -> str:
        return f"count-{self.pk}"


class SnapshotLoan(models.Model):
    """The figures of one loan in a snapshot, as the service gave them; null where it gave none.

    `account_id` is the id in the address of its page: the uid of a loan without an account id.

    A `_rank` is the amount as a float, null for none and for zero: for the order of a list and for
    an index, never to be shown or added.
    """

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="loans")
    account_id = models.CharField(max_length=LONGEST_ID)
    status = models.CharField(max_length=LONGEST_STATUS, blank=True)
    performance = models.CharField(max_length=LONGEST_STATUS, blank=True)
    start_day = models.DateField(null=True)
    # Whole days, rounded down.
    days_late = models.IntegerField(null=True)

    principal = AmountField()
    outstanding = AmountField()
    principal_outstanding = AmountField()
    overdue = AmountField()
    paid = AmountField()
    paid_since_last = AmountField()

    principal_rank = models.FloatField(null=True)
    outstanding_rank = models.FloatField(null=True)
    principal_outstanding_rank = models.FloatField(null=True)
    overdue_rank = models.FloatField(null=True)
    paid_since_last_rank = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["snapshot", "account_id"], name="portfolio_loan_once_per_snapshot"
            )
        ]
        indexes = [
            models.Index(
                fields=["snapshot", f"-{name}_rank", "id"],
                condition=Q(**{f"{name}_rank__isnull": False}),
                name=f"portfolio_by_{short}",
            )
            for name, short in (
                ("outstanding", "outstanding"),
                ("overdue", "overdue"),
                ("paid_since_last", "paid"),
            )
        ] + [
            models.Index(fields=["snapshot", "days_late"], name="portfolio_by_days_late"),
            models.Index(fields=["snapshot", "start_day"], name="portfolio_by_start_day"),
            models.Index(fields=["snapshot", "performance"], name="portfolio_by_performance"),
        ]

    def __str__(self) -> str:
        return f"a loan of count-{self.snapshot_id}"
