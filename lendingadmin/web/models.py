"""What forms keep between their steps."""

from django.conf import settings
from django.db import models

from lendingadmin.sealing import SealedTextField


class Draft(models.Model):
    """What a person entered in the first step of a form, kept sealed until the last step used it.

    `token` is what makes the form's one-use token unique.
    """

    token = models.CharField(max_length=64, primary_key=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    purpose = models.CharField(max_length=64)
    entered = SealedTextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"draft for {self.purpose}"
