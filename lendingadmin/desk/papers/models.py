"""Papers for customers, exactly as they were printed."""

import json
from typing import Any

from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.encryption import EncryptedTextField, Undecryptable
from lendingadmin.core.staff.models import PersonField
from lendingadmin.core.worker.models import Job
from lendingadmin.desk.portfolio.models import LONGEST_ID


class PaperKind(models.TextChoices):
    """The kind of a paper."""

    STATEMENT = "statement", _("Statement of account")
    NOTICE = "notice", _("Notice of what is owed")
    DISCHARGE = "discharge", _("Discharge letter")
    KEY_FACTS = "key-facts", _("Key facts and schedule")
    REFUSAL = "refusal", _("Reasons for a refusal")


class Paper(models.Model):
    """One paper for a customer. It never changes, so a reprint has the same words and figures.

    `account_id` is empty for a paper about all loans of a borrower. `content` is the JSON of
    `contents.Content`, empty after it was erased. `first_day` and `last_day` are the requested
    period. `figures_at` is the time when the loans were read.
    """

    app_id = models.CharField(max_length=64)
    year = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=PaperKind.choices)
    borrower_id = models.CharField(max_length=LONGEST_ID, blank=True)
    account_id = models.CharField(max_length=LONGEST_ID, blank=True)
    first_day = models.DateField(null=True)
    last_day = models.DateField(null=True)
    language = models.CharField(max_length=8)
    content = EncryptedTextField(blank=True, bound_to=["idempotency_key"])
    figures_at = models.DateTimeField()
    made_by = PersonField(db_index=False)
    made_at = models.DateTimeField()
    # The time when the paper was first opened for printing.
    opened_at = models.DateTimeField(null=True)
    idempotency_key = models.CharField(max_length=64, unique=True)
    # The day on which the borrower may have only this paper of its kind; null if more are allowed.
    once_on = models.DateField(null=True)

    class Meta:
        constraints = [
            # No number is used twice. The next number is the last number plus 1 (services.py).
            models.UniqueConstraint(fields=["app_id", "year", "number"], name="papers_number_once"),
            models.UniqueConstraint(
                fields=["app_id", "borrower_id", "kind", "once_on"],
                condition=models.Q(once_on__isnull=False),
                name="papers_once_a_day",
            ),
        ]
        indexes = [
            models.Index(
                fields=["app_id", "borrower_id", "made_at", "id"], name="papers_of_borrower"
            ),
            models.Index(fields=["app_id", "account_id", "made_at", "id"], name="papers_of_loan"),
            # For the erasure of old content.
            models.Index(
                fields=["made_at"], condition=~models.Q(content=""), name="papers_with_content"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.app_id.upper()}-{self.year}-P{self.number:06}"

    def get_absolute_url(self) -> str:
        return reverse("paper", args=[self.app_id, self.year, self.number])

    def read_content(self) -> dict[str, Any] | None:
        """Return the fields of `contents.Content`; None if they were erased or can't be read."""
        content: object = self.content
        if not content or isinstance(content, Undecryptable):
            return None
        found: dict[str, Any] = json.loads(self.content)
        return found

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{self.account_id or self.borrower_id} {self}"

    @property
    def names(self) -> dict[str, Any]:
        """The number and the kind, for sentences."""
        return {"number": str(self), "kind": self.get_kind_display()}


class BulkPapers(Job):
    """Papers of one kind for all borrowers of a list. The worker makes them; one print has all.

    `query` is the query string of the list. `day` is the day of the papers in the lender's time
    zone. `why` is the reason for a pause, or the last fault of the service.
    """

    class State(models.TextChoices):
        """The state of papers in bulk."""

        RUNNING = "running", _("being made")
        PAUSED = "paused", _("paused")
        DONE = "done", _("done")

    app_id = models.CharField(max_length=64)
    kind = models.CharField(max_length=9, choices=PaperKind.choices)
    language = models.CharField(max_length=8)
    first_day = models.DateField(null=True)
    last_day = models.DateField(null=True)
    query = models.TextField(blank=True)
    day = models.DateField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.RUNNING)
    # Attempts since the last finished row.
    tries = models.PositiveIntegerField(default=0)
    why = models.TextField(blank=True)
    idempotency_key = models.CharField(max_length=64, unique=True)
    created_by = PersonField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["app_id", "-id"], name="papers_bulk_of_app"),
            models.Index(fields=["state", "heartbeat_at"], name="papers_bulk_of_state"),
        ]

    def __str__(self) -> str:
        return f"papers-{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("bulk-papers", args=[self.app_id, self.pk])


class BulkRow(models.Model):
    """A borrower of papers in bulk, with the paper, or with the reason why there is none.

    If there is neither a paper nor a reason, the worker has not made the paper yet. `code` is the
    reason (figures.REASONS). `account_id` is the loan that the reason is about, and `until` the
    time when it ends.
    """

    bulk = models.ForeignKey(BulkPapers, on_delete=models.CASCADE, related_name="rows")
    borrower_id = models.CharField(max_length=LONGEST_ID)
    paper = models.OneToOneField(
        Paper, null=True, on_delete=models.PROTECT, related_name="bulk_row"
    )
    code = models.CharField(max_length=16, blank=True)
    account_id = models.CharField(max_length=LONGEST_ID, blank=True)
    until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bulk", "borrower_id"], name="papers_bulk_row_once")
        ]
        indexes = [
            # For the search of the next row, and of the refused rows.
            models.Index(
                fields=["bulk", "code", "id"],
                condition=models.Q(paper=None),
                name="papers_bulk_row_open",
            ),
            models.Index(fields=["borrower_id"], name="papers_bulk_row_of"),
        ]

    def __str__(self) -> str:
        return f"paper-row-{self.pk}"

    @property
    def waiting(self) -> models.QuerySet["BulkRow"]:
        """This row as a queryset, which is empty once the paper is made or refused."""
        return BulkRow.objects.filter(pk=self.pk, paper=None, code="")
