"""The states of a write other than a repayment, and the findings of its checks.

A repayment's states use three of the labels.
"""

from django.db import models
from django.utils.translation import gettext_lazy, gettext_noop


class WriteState(models.TextChoices):
    """The state of a write; SENT is also the state that a dead process leaves behind."""

    SENT = "sent", gettext_noop("sent, waiting")
    SAVED = "saved", gettext_noop("saved")
    NOT_SAVED = "no", gettext_noop("not saved")
    UNKNOWN = "unknown", gettext_noop("needs checking")
    RESOLVED = "resolved", gettext_noop("resolved by a person")


class WriteFound(models.TextChoices):
    """The finding at the service about a write whose answer is missing."""

    THERE = "there", gettext_noop("found")
    DIFFERS = "differs", gettext_noop("found, but different")
    CANDIDATES = "maybe", gettext_noop("possible records found")
    NOT_SEEN = "absent", gettext_noop("not found so far")


class WriteResolution(models.TextChoices):
    """A person's decision about the outcome of a write."""

    SAVED = "saved", gettext_lazy("It was saved")
    NOT_SAVED = "no", gettext_lazy("It was not saved")
