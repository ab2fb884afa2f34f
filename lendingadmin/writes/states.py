"""The states of a write other than a repayment, and what is concluded of it meanwhile."""

from django.db import models


class WriteState(models.TextChoices):
    """What is known of it; SENT is also what a process that died leaves behind."""

    SENT = "sent", "sent, waiting"
    SAVED = "saved", "saved"
    NOT_SAVED = "no", "not saved"
    UNKNOWN = "unknown", "needs checking"
    RESOLVED = "resolved", "resolved by a person"


class WriteFound(models.TextChoices):
    """What the service shows of a write whose answer is missing."""

    THERE = "there", "found"
    DIFFERS = "differs", "found otherwise"
    CANDIDATES = "maybe", "found what it may be"
    NOT_SEEN = "absent", "not found so far"


class WriteResolution(models.TextChoices):
    """What a person says became of it."""

    SAVED = "saved", "It was saved"
    NOT_SAVED = "no", "It was not saved"
