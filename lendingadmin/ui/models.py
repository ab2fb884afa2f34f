"""What forms keep between their steps."""

from datetime import timedelta

from django.conf import settings
from django.db import models

from lendingadmin.encryption import EncryptedTextField


class Draft(models.Model):
    """What a person entered in the first step of a form, encrypted until the last step used it.

    `token` is the form's idempotency key.
    """

    KEPT_FOR = timedelta(hours=12)

    token = models.CharField(max_length=64, primary_key=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    purpose = models.CharField(max_length=64)
    entered = EncryptedTextField(blank=True, bound_to=["token"])
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"draft for {self.purpose}"
