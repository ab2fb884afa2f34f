"""Table with which a host checks that its keys are the same as those of other hosts."""

from django.db import models

from lendingadmin.core.encryption import EncryptedTextField


class Canary(models.Model):
    """A row with one word, which each host must be able to open with DATA_KEYS and SECRET_KEY.

    The row also has the macs of the word under the newest of PEOPLE_KEYS and AUDIT_KEYS.
    """

    name = models.CharField(max_length=16, unique=True)
    encrypted = EncryptedTextField(bound_to=["name"])
    signed = models.CharField(max_length=200)
    people_mac = models.CharField(max_length=64, default="", db_default="")
    audit_mac = models.CharField(max_length=64, default="", db_default="")

    def __str__(self) -> str:
        return self.name
