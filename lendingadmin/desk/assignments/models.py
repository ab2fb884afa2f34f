"""Assignments of borrowers to officers, their rules, and hand-overs between officers."""

from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.staff.models import PersonField
from lendingadmin.core.worker.models import Job
from lendingadmin.desk.portfolio.models import LONGEST_ID, Snapshot

from .managers import AssignmentQuerySet, HandOverQuerySet


class Basis(models.TextChoices):
    """The origin of an assignment: a rule, a person or a list."""

    RULE = "rule", _("by rule")
    HAND = "hand", _("by hand")
    BULK = "bulk", _("in bulk")


class Assignment(models.Model):
    """The officer of a borrower; a borrower with an officer has exactly one row.

    Each change sets a new `assigned_at`, so `officer` and `assigned_at` together identify the
    assignment that a person saw. `assigned_by` is null if a rule assigned the borrower.
    """

    app_id = models.CharField(max_length=64)
    borrower_id = models.CharField(max_length=LONGEST_ID)
    officer = PersonField(db_index=False)
    basis = models.CharField(max_length=8, choices=Basis.choices)
    assigned_at = models.DateTimeField(default=timezone.now)
    assigned_by = PersonField(null=True, db_index=False)

    # The bulk assignment that made this assignment; null for other assignments.
    bulk = models.ForeignKey(
        "BulkAssignment", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "borrower_id"], name="assignments_borrower_once"
            )
        ]
        indexes = [
            # The app is not first. Otherwise SQLite would read all assignments of an app for a few
            # borrowers.
            models.Index(fields=["officer", "app_id", "borrower_id"], name="assignments_by_officer")
        ]

    def __str__(self) -> str:
        return f"assignment-{self.pk}"


class HandOver(models.Model):
    """A hand-over: a stand-in does an officer's work from one day to another, both included.

    Days are in the lender's time zone. The borrowers remain assigned to the officer. A hand-over
    ends automatically; `ended_at` is set only if a person ended it early.
    """

    app_id = models.CharField(max_length=64)
    officer = PersonField(db_index=False)
    stand_in = PersonField(db_index=False)
    first_day = models.DateField()
    last_day = models.DateField()
    created_by = PersonField(db_index=False)
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    ended_by = PersonField(null=True, db_index=False)

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


class BulkAssignment(Job):
    """All borrowers of a list of the newest snapshot, assigned by a person to one officer.

    `query` is the query string of the list. The rows are the borrowers that the person confirmed.
    """

    class State(models.TextChoices):
        ASSIGNING = "assigning", _("Assigning")
        DONE = "done", _("Assigned")

    app_id = models.CharField(max_length=64)
    query = models.TextField(blank=True)
    officer = PersonField()
    state = models.CharField(max_length=12, choices=State.choices, default=State.ASSIGNING)
    idempotency_key = models.CharField(max_length=64, unique=True)
    created_by = PersonField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["app_id", "-id"], name="assignments_bulk_of_app"),
            models.Index(
                fields=["heartbeat_at"],
                condition=models.Q(state="assigning"),
                name="assignments_bulk_at_work",
            ),
        ]

    def __str__(self) -> str:
        return f"bulk-{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("bulk-assignment", args=[self.app_id, self.pk])


class BulkRow(models.Model):
    """A borrower of a bulk assignment: the officer before, and the result.

    `before_officer` and `before_at` identify the assignment when the list was read. Both are null
    for a borrower who had no officer.
    """

    class Outcome(models.TextChoices):
        WAITING = "waiting", _("not assigned yet")
        ASSIGNED = "assigned", _("assigned")
        ALREADY = "already", _("no change")
        CHANGED = "changed", _("changed by another person, not reassigned")
        NOT_ALLOWED = "not-allowed", _("not allowed")

    bulk = models.ForeignKey(
        BulkAssignment, on_delete=models.CASCADE, related_name="rows", db_index=False
    )
    borrower_id = models.CharField(max_length=LONGEST_ID)
    outcome = models.CharField(max_length=12, choices=Outcome.choices, default=Outcome.WAITING)
    before_officer = PersonField(null=True, db_index=False)
    before_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["bulk", "borrower_id"], name="assignments_bulk_row_once"
            )
        ]
        indexes = [
            models.Index(fields=["bulk", "outcome", "id"], name="assignments_bulk_outcome"),
            models.Index(fields=["borrower_id"], name="assignments_bulk_borrower"),
        ]

    def __str__(self) -> str:
        return f"bulk-row-{self.pk}"


class RuleSet(models.Model):
    """The rules of an app in order, as a person saved them.

    `rules` is JSON: `[{"product": "…", "officers": [numbers]}]`; an empty product means any
    product. Only one set of an app is in force. `replaces` is the set that was in force before this
    one.
    """

    class State(models.TextChoices):
        ACTIVE = "active", _("in force")
        REPLACED = "replaced", _("replaced")

    app_id = models.CharField(max_length=64)
    rules = models.JSONField(default=list)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    replaces = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    created_by = PersonField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id"],
                condition=models.Q(state="active"),
                name="assignments_one_rule_set",
            )
        ]

    def __str__(self) -> str:
        return f"rules-{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("assignment-rule-set", args=[self.app_id, self.pk])


class RuleWalk(Job):
    """One walk through the borrowers of a snapshot who have open loans, with one set of rules.

    `people` is the fingerprint of the officers when the walk began. If the officers change, another
    walk begins. `reassigns` is True if the walk also reassigns borrowers that older rules assigned.
    """

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        DONE = "done", _("complete")
        STOPPED = "stopped", _("stopped")

    rule_set = models.ForeignKey(RuleSet, on_delete=models.CASCADE, related_name="walks")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="+")
    people = models.CharField(max_length=32)
    reassigns = models.BooleanField(default=False)
    state = models.CharField(max_length=8, choices=State.choices, default=State.RUNNING)
    # Id of the last borrower that was processed.
    after = models.CharField(max_length=LONGEST_ID, blank=True)
    began_at = models.DateTimeField(default=timezone.now)
    # Numbers of borrowers: assigned, moved to another officer, unchanged, and without a matching
    # rule. Borrowers of the first and the last group had no officer, or an officer who has left.
    assigned = models.PositiveIntegerField(default=0)
    moved = models.PositiveIntegerField(default=0)
    stayed = models.PositiveIntegerField(default=0)
    unmatched = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rule_set", "snapshot", "people"], name="assignments_walk_once"
            )
        ]

    def __str__(self) -> str:
        return f"rule-walk-{self.pk}"
