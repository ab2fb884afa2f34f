"""Requests for offers that were made in this dashboard, and the last answer to each."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.encryption import EncryptedTextField, Undecryptable
from lendingadmin.core.staff.models import PersonField
from lendingadmin.lending.codec import decode
from lendingadmin.lending.identity import offer_is_named, offer_names_another
from lendingadmin.lending.values import (
    OfferOperation,
    OfferResult,
    OffersResponse,
)
from lendingadmin.money.writes.states import WriteState
from lendingadmin.web.display.statuses import Status

# Spec: Limits, getOffers duration.
NORMAL_TIME = timedelta(seconds=120)
LONGEST_ID = 255


class OfferState(models.TextChoices):
    """Known state of a request."""

    ASKED = "asked", WriteState.UNKNOWN.label
    REFUSED = "refused", _("refused")
    RUNNING = "running", _("running")
    DONE = "done", _("offer made")
    FAILED = "failed", _("no offer")


_CHIPS = {
    OfferState.ASKED: ("odd", "question-mark-circle"),
    OfferState.REFUSED: ("bad", "x-circle"),
    OfferState.RUNNING: ("info", "clock"),
    OfferState.DONE: ("good", "check-circle"),
    OfferState.FAILED: ("warn", "x-circle"),
}
FINISHED = (OfferState.DONE, OfferState.FAILED)


class OfferRequest(models.Model):
    """A request for offers: its data, its person and its last answer (Spec: Borrowers, 4).

    A call that reads an offer could also start an offer. So pages read only requests that have a
    row in this table, and only until `expiry_time`. `answer` is the operation as received, which is
    final if the operation is done.
    """

    app_id = models.CharField(max_length=64)
    borrower_id = models.CharField(max_length=LONGEST_ID)
    request_id = models.CharField(max_length=LONGEST_ID)
    assessment_type = models.CharField(max_length=300, blank=True)
    timestamp = models.DateTimeField(null=True)
    asked_by = PersonField(db_index=False)
    asked_at = models.DateTimeField()
    last_asked_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=OfferState.choices, default=OfferState.ASKED)
    expiry_time = models.DateTimeField(null=True)
    answer = EncryptedTextField(blank=True, bound_to=["app_id", "borrower_id", "request_id"])
    answered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "borrower_id", "request_id"], name="offer_request_once"
            )
        ]
        indexes = [
            models.Index(fields=["app_id", "borrower_id", "-asked_at"], name="offer_of_borrower"),
            models.Index(fields=["asked_by", "app_id", "last_asked_at"], name="offer_of_person"),
            # For the erasure of old requests.
            models.Index(fields=["last_asked_at"], name="offer_last_asked"),
        ]

    def __str__(self) -> str:
        return f"offer-request-{self.request_id}"

    def get_absolute_url(self) -> str:
        return reverse("offer", args=[self.app_id, self.borrower_id, self.request_id])

    @property
    def operation(self) -> OfferOperation | None:
        """The last answer; None if it is missing, unreadable, or names another request.

        Old rows may contain the answer to another request.
        """
        found = self._answered()
        if found and offer_names_another(found, self.borrower_id, self.request_id, self.app_id):
            return None
        return found

    def _answered(self) -> OfferOperation | None:
        if not self.answer or isinstance(self.answer, Undecryptable):
            return None
        answer = decode(self.answer.encode())
        return OfferOperation(answer) if isinstance(answer, Mapping) else None

    @property
    def response(self) -> OffersResponse | None:
        """The offer in the last answer; None if there is no readable offer."""
        operation = self.operation
        result = operation.result if operation else None
        response = result.response if isinstance(result, OfferResult) else None
        return response if isinstance(response, OffersResponse) else None

    @property
    def chip(self) -> Status:
        """Chip of the state; “expired” if the request expired without a final answer."""
        if self.is_lost:
            return Status(gettext("expired"), "warn", "clock")
        state = OfferState(self.state)
        return Status(str(state.label), *_CHIPS[state])

    @property
    def is_named(self) -> bool:
        """True if the last answer names this request, or if the request has no answer yet.

        No loan may be made from an answer that may belong to another request.
        """
        found = self._answered()
        return found is None or offer_is_named(found, self.borrower_id, self.request_id)

    @property
    def is_finished(self) -> bool:
        """True if the service has given its final answer."""
        return self.state in FINISHED

    def is_expired(self, now: datetime) -> bool:
        """Return True if the expiry time from the service has passed."""
        return self.expiry_time is not None and self.expiry_time <= now

    @property
    def is_lost(self) -> bool:
        """True if the request has expired without a final answer from the service."""
        unresolved = self.state in (OfferState.RUNNING, OfferState.ASKED)
        return unresolved and self.is_expired(timezone.now())

    def may_be_read(self, now: datetime) -> bool:
        """Return True if a page may ask the service for the request automatically.

        If the service gave no expiry time, this is True only within the normal time.
        """
        if self.is_finished or self.state == OfferState.REFUSED:
            return False
        return now < (self.expiry_time or self.last_asked_at + NORMAL_TIME)


class OfferLoan(models.Model):
    """Loan that a person was about to make from an offer, saved before the call.

    The write with this idempotency key has the outcome. `amount` is the principal in the app's
    currency; None if the contract does not have it.
    """

    offer = models.ForeignKey(OfferRequest, on_delete=models.CASCADE, related_name="loans")
    idempotency_key = models.CharField(max_length=64, unique=True)
    account_id = models.CharField(max_length=LONGEST_ID)
    amount = models.DecimalField(max_digits=18, decimal_places=3, null=True)

    def __str__(self) -> str:
        return f"{self.offer}: {self.account_id}"
