"""Writes other than repayments, and the checks of their outcomes."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from lendingadmin.core.encryption import EncryptedTextField

from .messages import StateMessage, get_message
from .states import WriteFound, WriteResolution, WriteState
from .unconfirmed import UnconfirmedWrite


class Write(UnconfirmedWrite):
    """One write of a form, committed before the call, under the form's idempotency key.

    Repayments have another table. `card` is the error card of a write that did not succeed, as
    JSON. It may have personal data, in the service's words. `submitted` has the sent data as JSON.
    They are deleted when no comparison and no new entry needs them. `found` is a conclusion from
    evidence, and never changes the state.
    """

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="writes"
    )
    app_id = models.CharField(max_length=64, blank=True)
    operation = models.CharField(max_length=100)
    subject = models.CharField(max_length=300, blank=True)
    # The borrower of a new loan, if the subject does not name the borrower.
    borrower_id = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=8, choices=WriteState.choices, default=WriteState.SENT)
    url = models.CharField(max_length=1000, blank=True)
    card = EncryptedTextField(blank=True, bound_to=["idempotency_key"])
    submitted = EncryptedTextField(blank=True, bound_to=["idempotency_key"])
    # The address of the form in which the person may enter the data again.
    again_at = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = None  # this kind of write is sent as soon as it is committed
    found = models.CharField(max_length=8, choices=WriteFound.choices, blank=True)
    resolution = models.CharField(max_length=8, choices=WriteResolution.choices, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["person", "-created_at"], name="write_of_person"),
            # On PostgreSQL, only these operators make “begins with” fast in any collation.
            models.Index(
                fields=["app_id", "operation", "subject"],
                opclasses=["", "", "varchar_pattern_ops"],
                name="write_of_subject",
            ),
            models.Index(
                fields=["app_id", "borrower_id"],
                condition=~models.Q(borrower_id=""),
                name="write_of_borrower",
            ),
            # Unknown writes in an app, and writes of lost senders in all apps. The index covers all
            # rows, because SQLite uses no partial index for `state IN (…)` with parameters.
            models.Index(fields=["state", "app_id", "created_at"], name="write_in_state"),
            models.Index(
                fields=["next_check_at"],
                condition=models.Q(next_check_at__isnull=False),
                name="write_next_check",
            ),
            # For the deletion of sent data, after SESSION_HOURS.
            models.Index(
                fields=["created_at"],
                condition=~models.Q(submitted=""),
                name="write_with_submitted",
            ),
            models.Index(
                fields=["app_id", "alarm_at", "id"],
                condition=models.Q(alarm_at__isnull=False, alarm_seen_at__isnull=True),
                name="write_alarm",
            ),
            models.Index(
                fields=["resolved_by"],
                condition=models.Q(resolved_by__isnull=False),
                name="write_resolved_by",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.state}"

    def get_absolute_url(self) -> str:
        return reverse("write", args=[self.app_id, self.idempotency_key])

    @property
    def message(self) -> StateMessage:
        """Words and colours for the present state."""
        return get_message(self.state, self.found, self.resolution)

    @property
    def is_open(self) -> bool:
        """True if the result is not known yet."""
        return self.state in (WriteState.SENT, WriteState.UNKNOWN)


class Check(models.Model):
    """The result of one check of a write whose answer is missing.

    `found` is empty if the check had no result, and `why` is then the reason. `links` are possible
    records, as pairs of a text and an address.
    """

    write = models.ForeignKey(Write, on_delete=models.CASCADE, related_name="checks")
    taken_at = models.DateTimeField(default=timezone.now)
    found = models.CharField(max_length=8, choices=WriteFound.choices, blank=True)
    why = EncryptedTextField(blank=True, bound_to=["write"])
    links = models.JSONField(default=list)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.found or '-'} {self.taken_at:%H:%M:%S}"
