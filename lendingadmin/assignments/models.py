"""Which officer has which borrower, and who stands in for whom while somebody is away."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.portfolio.models import LONGEST_ID

from .managers import AssignmentQuerySet, HandOverQuerySet


class Basis(models.TextChoices):
    """What gave a borrower to an officer."""

    RULE = "rule", _("by rule")
    HAND = "hand", _("by hand")
    BATCH = "batch", _("with a list")


class Assignment(models.Model):
    """The officer of a borrower: one row at most for each borrower who has one.

    `assigned_at` changes with each change, so that with `officer` it names what somebody saw.
    `assigned_by` is null where a rule did it.
    """

    app_id = models.CharField(max_length=64)
    borrower_id = models.CharField(max_length=LONGEST_ID)
    officer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    basis = models.CharField(max_length=8, choices=Basis.choices)
    assigned_at = models.DateTimeField(default=timezone.now)
    assigned_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "borrower_id"], name="assignments_borrower_once"
            )
        ]
        indexes = [
            # Not by app first: SQLite would read all of an app for a few of its borrowers.
            models.Index(fields=["officer", "app_id", "borrower_id"], name="assignments_by_officer")
        ]

    def __str__(self) -> str:
        return f"assignment-{self.pk}"


class HandOver(models.Model):
    """That somebody stands in for an officer from a day to a day of the lender's zone, both
    included.

    It ends by itself; `ended_at` is when somebody ended it before its time. Borrowers stay the
    officer's meanwhile: nothing is assigned.
    """

    app_id = models.CharField(max_length=64)
    officer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    stand_in = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    first_day = models.DateField()
    last_day = models.DateField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )

    objects = HandOverQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "officer", "first_day"],
                condition=models.Q(ended_at=None),
                name="assignments_hand_over_once",
            )
        ]
        indexes = [
            models.Index(
                fields=["app_id", "stand_in", "last_day"],
                condition=models.Q(ended_at=None),
                name="assignments_stand_in",
            ),
            models.Index(
                fields=["app_id", "last_day", "id"],
                condition=models.Q(ended_at=None),
                name="assignments_hand_over_day",
            ),
        ]

    def __str__(self) -> str:
        return f"hand-over-{self.pk}"
