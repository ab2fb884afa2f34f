"""Versions of the rules that managers change on pages."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.audit.trail import SYSTEM
from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.core.staff.models import PersonField


class PolicyVersion(models.Model):
    """A version of one kind of rule in an app, or in all apps (`app_id` is empty).

    The version in force is the saved version with the highest number whose `valid_from` is not in
    the future. `valid_from` is the time of the change, or 0:00 of a later day in the lender's zone.
    If a version needs a second manager, it waits for the approval. The values of a version never
    change.
    """

    class State(models.TextChoices):
        SAVED = "saved", _("Saved")
        WAITING = "waiting", _("To decide")
        DECLINED = "declined", _("Declined")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    app_id = models.CharField(max_length=64)
    kind = models.CharField(max_length=32)
    number = models.PositiveIntegerField()
    values = models.JSONField()
    valid_from = models.DateTimeField()
    reason = EncryptedTextField(blank=True, bound_to=["app_id", "kind", "number"])
    # None for a server command.
    changed_by = PersonField(null=True, db_index=False)
    changed_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.SAVED)
    decided_by = PersonField(null=True, db_index=False)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        # The index of this constraint is also used to find the version in force.
        constraints = [
            models.UniqueConstraint(fields=["app_id", "kind", "number"], name="policies_once"),
            models.CheckConstraint(
                condition=models.Q(decided_by__isnull=True)
                | ~models.Q(state="saved")
                | ~models.Q(decided_by=models.F("changed_by")),
                name="policies_approved_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}-{self.number}"

    def get_absolute_url(self) -> str:
        app_id = self.app_id or settings.LENDING_APPS[0].app_id
        return reverse("policy", args=[app_id, self.kind])

    @property
    def author(self) -> str:
        """The user name of the person who made the change; `system` for a server command."""
        return self.changed_by.username if self.changed_by else SYSTEM
