"""The states of a write other than a repayment, and the findings of its checks.

Repayments use three of the same labels.
"""

from django.db import models
from django.utils.translation import gettext_lazy, gettext_noop


class WriteState(models.TextChoices):
    """The state of a write.

    If the process of a write dies, the write is SENT until the worker or a page marks it UNKNOWN.
    """

    SENT = "sent", gettext_noop("sent, waiting")
    SAVED = "saved", gettext_noop("saved")
    NOT_SAVED = "no", gettext_noop("not saved")
    UNKNOWN = "unknown", gettext_noop("needs checking")
    RESOLVED = "resolved", gettext_noop("resolved by a person")


class WriteFound(models.TextChoices):
    """The finding at the service about a write without an answer."""

    THERE = "there", gettext_noop("found")
    DIFFERS = "differs", gettext_noop("found, but different")
    CANDIDATES = "maybe", gettext_noop("possible records found")
    NOT_SEEN = "absent", gettext_noop("not found so far")


class WriteResolution(models.TextChoices):
    """A person's decision about the result of a write."""

    SAVED = "saved", gettext_lazy("It was saved")
    NOT_SAVED = "no", gettext_lazy("It was not saved")
