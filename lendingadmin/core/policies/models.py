"""Versions of the rules that managers change on pages."""

from django.db import models
from django.urls import reverse

from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.core.staff.person_field import PersonField


class PolicyVersion(models.Model):
    """A version of one kind of rule in an app; rows are never changed.

    Of the versions whose `valid_from` has come, the one with the highest number is in force.
    `valid_from` is the time of the change, or 0:00 of a later day in the lender's zone.
    """

    app_id = models.CharField(max_length=64)
    kind = models.CharField(max_length=32)
    number = models.PositiveIntegerField()
    values = models.JSONField()
    valid_from = models.DateTimeField()
    reason = EncryptedTextField(blank=True, bound_to=["app_id", "kind", "number"])
    changed_by = PersonField(db_index=False)
    changed_at = models.DateTimeField()

    class Meta:
        # The index of the constraint also finds the version in force: the newest numbers first.
        constraints = [
            models.UniqueConstraint(fields=["app_id", "kind", "number"], name="policies_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind}-{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("policy", args=[self.app_id, self.kind])
