"""Snapshots of the loan portfolio: its figures, and for each loan its ids and figures.

As in the journal, the only personal data is the borrower's id. The rows of a complete snapshot
never change. The rows of older snapshots are deleted, but their figures remain (retention.py).
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.worker.models import WalkRow

from .amounts import AmountField

# Increase this number if the meaning of a figure changes, because pages must not compare figures of
# two versions. Version 2: loans at risk are more than N days late, and only open loans have
# outstanding amounts.
FIGURES_VERSION = 2
LONGEST_ID = 255
# Loans that lack a value of a figure. The amount paid since the last snapshot is left out here,
# because no loan of the first snapshot has this amount.
LACKS_VALUES = (
    Q(outstanding=None)
    | Q(overdue=None)
    | Q(principal_outstanding=None)
    | Q(days_late=None)
    | Q(principal=None)
    | Q(start_day=None)
)
LONGEST_STATUS = 64
LONGEST_NAME = 60


class Snapshot(WalkRow):
    """One walk through all loans of an app, from its start to its result.

    `figures` is the JSON of `figures.Figures`. If `figures_version` is not the current version, no
    page reads the figures or `is_open` of the loans. `without_borrower` is the number of open loans
    without a borrower id; null if the snapshot began before borrowers were stored. `state` changes
    once, from RUNNING to a result.
    """

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        DONE = "done", _("complete")
        STOPPED = "stopped", _("stopped")
        FAILED = "failed", _("failed")

    state = models.CharField(max_length=8, choices=State.choices, default=State.RUNNING)
    asked_by = models.ForeignKey(  # null if the schedule began the snapshot
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    began_at = models.DateTimeField(default=timezone.now)

    loans_read = models.PositiveIntegerField(default=0)
    # Number of loans in the last complete snapshot.
    expected = models.PositiveIntegerField(null=True)
    without_borrower = models.PositiveIntegerField(null=True, default=0)
    figures = models.JSONField(default=dict)
    figures_version = models.PositiveSmallIntegerField(default=FIGURES_VERSION)
    # True if the rows of the loans are stored too, not only the figures.
    has_loans = models.BooleanField(default=True)

    # The complete snapshot with which the amounts paid are compared.
    previous = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")

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

    @property
    def is_readable(self) -> bool:
        """True if its loans are stored and its figures have the current meaning."""
        return self.has_loans and self.figures_version == FIGURES_VERSION


class SnapshotLoan(models.Model):
    """Figures of a loan in a snapshot, as the service gave them; null if a figure is missing.

    `account_id` is the id in the address of the loan's page: the account id, or else the uid. The
    ids of borrower and product are empty if the service gave no usable id. A `_rank` is the amount
    as a float; null if the amount is missing or zero. Ranks are only for the order of lists and for
    indexes. They are never shown or added.
    """

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="loans")
    account_id = models.CharField(max_length=LONGEST_ID)
    borrower_id = models.CharField(max_length=LONGEST_ID, blank=True)
    product_id = models.CharField(max_length=LONGEST_ID, blank=True)
    status = models.CharField(max_length=LONGEST_STATUS, blank=True)
    performance = models.CharField(max_length=LONGEST_STATUS, blank=True)
    # True if the loan was open, by its status word or else by its dates (reading.py).
    is_open = models.BooleanField(default=False)
    has_status_word = models.BooleanField(default=False)
    # True if the loan is open and late, and nothing was ever paid.
    is_first_missed = models.BooleanField(default=False)
    start_day = models.DateField(null=True)
    settlement_day = models.DateField(null=True)
    # The number of days, rounded up to an integer.
    days_late = models.IntegerField(null=True)
    # The next instalment at the time of the snapshot.
    next_due_day = models.DateField(null=True)
    next_due_amount = AmountField()

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
                fields=["snapshot", "-outstanding_rank", "id"],
                condition=Q(is_open=True, outstanding_rank__isnull=False),
                name="portfolio_by_outstanding",
            ),
            models.Index(
                fields=["snapshot", "-overdue_rank", "id"],
                condition=Q(is_open=True, overdue_rank__isnull=False),
                name="portfolio_by_overdue",
            ),
            models.Index(
                fields=["snapshot", "-paid_since_last_rank", "id"],
                condition=Q(paid_since_last_rank__isnull=False),
                name="portfolio_by_paid",
            ),
            models.Index(
                fields=["snapshot", "days_late", "id"],
                condition=Q(is_open=True),
                name="portfolio_by_days_late",
            ),
            models.Index(
                fields=["snapshot", "days_late", "id"],
                condition=Q(is_open=True, overdue_rank__gt=0),
                name="portfolio_overdue_by_days_late",
            ),
            models.Index(fields=["snapshot", "start_day", "id"], name="portfolio_by_start_day"),
            models.Index(
                fields=["snapshot", "performance", "-outstanding_rank", "id"],
                condition=Q(is_open=True),
                name="portfolio_by_performance",
            ),
            models.Index(
                fields=["snapshot", "-principal_rank", "id"],
                condition=Q(principal_rank__isnull=False),
                name="portfolio_by_principal",
            ),
            models.Index(
                fields=["snapshot", "-principal_outstanding_rank", "id"],
                condition=Q(is_open=True, principal_outstanding_rank__isnull=False),
                name="portfolio_by_principal_owed",
            ),
            models.Index(
                fields=["snapshot", "account_id"],
                condition=LACKS_VALUES,
                name="portfolio_lacks_values",
            ),
            models.Index(
                fields=["snapshot", "account_id"],
                condition=Q(paid_since_last=None),
                name="portfolio_lacks_paid_since",
            ),
            models.Index(
                fields=["snapshot", "borrower_id"],
                condition=Q(is_open=True),
                name="portfolio_open_by_borrower",
            ),
            models.Index(
                fields=["snapshot", "next_due_day", "id"],
                condition=Q(is_open=True, next_due_day__isnull=False),
                name="portfolio_by_next_due_day",
            ),
            models.Index(
                fields=["snapshot", "product_id", "-outstanding_rank", "id"],
                condition=Q(is_open=True),
                name="portfolio_open_by_product",
            ),
            models.Index(
                fields=["snapshot", "product_id", "id"],
                condition=Q(is_open=True),
                name="portfolio_sorted_by_product",
            ),
            models.Index(
                fields=["snapshot", "-overdue_rank", "id"],
                condition=Q(is_first_missed=True),
                name="portfolio_first_missed",
            ),
            models.Index(
                fields=["snapshot", "-settlement_day", "id"],
                condition=Q(is_open=False, settlement_day__isnull=False),
                name="portfolio_by_settlement_day",
            ),
            models.Index(F("snapshot"), Lower("account_id"), name="portfolio_loan_any_case"),
        ]

    def __str__(self) -> str:
        return f"loan-{self.pk}"


class SavedList(models.Model):
    """A list of loans under a name: for its owner, or for everybody.

    `query` is the query string of the list. People who pinned the list see it in the sidebar.
    """

    app_id = models.CharField(max_length=64)
    name = models.CharField(max_length=LONGEST_NAME)
    query = models.TextField(blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    is_shared = models.BooleanField(_("for everybody"), default=False)
    pinned_by = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="pinned_lists")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "app_id", "name"], name="portfolio_saved_list_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["app_id"], condition=Q(is_shared=True), name="portfolio_shared_lists"
            )
        ]

    def __str__(self) -> str:
        return f"list-{self.pk}"

    def get_absolute_url(self) -> str:
        """Return the address of the list's page."""
        return reverse("saved-list", args=[self.app_id, self.pk])
