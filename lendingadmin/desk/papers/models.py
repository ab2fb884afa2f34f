"""Papers that customers were given, as they were printed."""

from typing import Any

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.core.staff.person_field import PersonField
from lendingadmin.desk.portfolio.models import LONGEST_ID


class Kind(models.TextChoices):
    """The kind of a paper."""

    STATEMENT = "statement", _("Statement of account")
    DISCHARGE = "discharge", _("Discharge letter")
    KEY_FACTS = "key-facts", _("Key facts and schedule")
    REFUSAL = "refusal", _("Reasons for a refusal")


#: The kinds of papers about one loan.
OF_LOAN = (Kind.STATEMENT, Kind.DISCHARGE, Kind.KEY_FACTS)


class Paper(models.Model):
    """One paper for a customer. It never changes, so a reprint has the same words and figures.

    `account_id` is empty for a paper about all loans of a borrower. `content` is the JSON of
    `contents.Content`, empty after it was erased. `first_day` and `last_day` are the requested
    period. `figures_at` is the time when the loans were read.
    """

    app_id = models.CharField(max_length=64)
    year = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=Kind.choices)
    borrower_id = models.CharField(max_length=LONGEST_ID, blank=True)
    account_id = models.CharField(max_length=LONGEST_ID, blank=True)
    first_day = models.DateField(null=True)
    last_day = models.DateField(null=True)
    language = models.CharField(max_length=8)
    content = EncryptedTextField(blank=True, bound_to=["idempotency_key"])
    figures_at = models.DateTimeField()
    made_by = PersonField(db_index=False)
    made_at = models.DateTimeField()
    # When the paper was first opened for printing.
    opened_at = models.DateTimeField(null=True)
    idempotency_key = models.CharField(max_length=64, unique=True)

    class Meta:
        constraints = [
            # No number is used twice, and the next number is the last one plus 1 (services.py).
            models.UniqueConstraint(fields=["app_id", "year", "number"], name="papers_number_once")
        ]
        indexes = [
            models.Index(
                fields=["app_id", "borrower_id", "made_at", "id"], name="papers_of_borrower"
            ),
            models.Index(fields=["app_id", "account_id", "made_at", "id"], name="papers_of_loan"),
            # For papers whose old content is erased.
            models.Index(
                fields=["made_at"], condition=~models.Q(content=""), name="papers_with_content"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.app_id.upper()}-{self.year}-P{self.number:06}"

    def get_absolute_url(self) -> str:
        return reverse("paper", args=[self.app_id, self.year, self.number])

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{self.account_id or self.borrower_id} {self}"

    @property
    def names(self) -> dict[str, Any]:
        """The number and the kind, for sentences."""
        return {"number": str(self), "kind": self.get_kind_display()}
