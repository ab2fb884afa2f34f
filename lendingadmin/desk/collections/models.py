"""Calls, promises, leases, queues and stops. The lending service stores none of these."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.core.staff.models import PersonField
from lendingadmin.desk.portfolio.models import LONGEST_ID, LONGEST_NAME
from lendingadmin.lending.ids import account_id

from .states import Evidence, Outcome, PromiseState, StopKind


class Call(models.Model):
    """A call with a borrower, an attempt to call, or a notice, with the person who made it.

    `account_id` is the loan of the call; empty if the call was about no loan. `queue` is the queue
    of the call; empty if the person did not call from a queue. `is_incoming` is True if the
    borrower called.
    """

    app_id = models.CharField(max_length=64)
    borrower_id = models.CharField(max_length=LONGEST_ID)
    account_id = models.CharField(max_length=LONGEST_ID, blank=True)
    queue = models.CharField(max_length=20, blank=True)
    outcome = models.CharField(max_length=16, choices=Outcome.choices)
    is_incoming = models.BooleanField(default=False)
    note = EncryptedTextField(blank=True, bound_to=["idempotency_key"])
    idempotency_key = models.CharField(max_length=64, unique=True)
    called_by = PersonField(db_index=False)
    called_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(
                fields=["app_id", "borrower_id", "-called_at"], name="collections_call_of_borrower"
            ),
            # For the figures of a period.
            models.Index(fields=["app_id", "called_at"], name="collections_call_by_day"),
            models.Index(fields=["called_by", "called_at"], name="collections_call_of_person"),
        ]

    def __str__(self) -> str:
        return f"call-{self.pk}"

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{account_id(self.borrower_id)} {self}"


class Promise(models.Model):
    """A borrower's promise to pay an amount on a loan, by a day in the lender's zone.

    `paid_before` is the amount paid on the loan when the promise was made; null if the loan could
    not be read. `paid` is the amount paid since then towards the promise, and `evidence` shows how
    this is known. `reason` is the reason of a person who decided the promise.
    """

    call = models.OneToOneField(Call, on_delete=models.CASCADE, related_name="promise")
    app_id = models.CharField(max_length=64)
    borrower_id = models.CharField(max_length=LONGEST_ID)
    account_id = models.CharField(max_length=LONGEST_ID)
    amount = models.DecimalField(max_digits=15, decimal_places=3)
    day = models.DateField()
    made_at = models.DateTimeField(default=timezone.now)
    paid_before = models.DecimalField(max_digits=18, decimal_places=3, null=True)

    state = models.CharField(max_length=16, choices=PromiseState.choices, default=PromiseState.OPEN)
    state_at = models.DateTimeField(default=timezone.now)
    paid = models.DecimalField(max_digits=18, decimal_places=3, default=0)
    evidence = models.CharField(max_length=16, choices=Evidence.choices, blank=True)
    decided_by = PersonField(null=True)
    reason = EncryptedTextField(blank=True, bound_to=["call"])

    class Meta:
        indexes = [
            models.Index(
                fields=["app_id", "state", "day", "id"], name="collections_promise_by_day"
            ),
            models.Index(fields=["app_id", "borrower_id", "-id"], name="collections_promise_of"),
            # For the queues, which check for each row if the loan has an open promise.
            models.Index(
                fields=["app_id", "account_id"],
                condition=Q(state="open"),
                name="collections_promise_open",
            ),
        ]

    def __str__(self) -> str:
        return f"promise-{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("promise", args=[self.app_id, self.pk])

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{self.account_id} {self}"


class Contact(models.Model):
    """The earliest time of the next call to a borrower, and the last call.

    Each borrower who was called has one row.
    """

    app_id = models.CharField(max_length=64)
    borrower_id = models.CharField(max_length=LONGEST_ID)
    last_call = models.ForeignKey(Call, on_delete=models.CASCADE, related_name="+", db_index=False)
    next_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "borrower_id"], name="collections_contact_once"
            )
        ]
        indexes = [models.Index(fields=["last_call"], name="collections_contact_call")]

    def __str__(self) -> str:
        return f"contact-{self.pk}"


class Lease(models.Model):
    """Lease on a borrower: until the time `until`, only this person may call the borrower.

    Each borrower and each person has at most one lease.
    """

    app_id = models.CharField(max_length=64)
    borrower_id = models.CharField(max_length=LONGEST_ID)
    account_id = models.CharField(max_length=LONGEST_ID, blank=True)
    queue = models.CharField(max_length=20, blank=True)
    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    since = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["app_id", "borrower_id"], name="collections_lease_once")
        ]

    def __str__(self) -> str:
        return f"lease-{self.pk}"


class CallQueue(models.Model):
    """A queue that a manager made from a list of the newest snapshot.

    `query` is the query string of the list. The queue is for all callers or for `people`. No page
    shows a retired queue, but its calls still have its key.
    """

    app_id = models.CharField(max_length=64)
    name = models.CharField(max_length=LONGEST_NAME)
    query = models.TextField(blank=True)
    is_for_all = models.BooleanField(default=True)
    people = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    created_by = PersonField()
    created_at = models.DateTimeField(default=timezone.now)
    retired_at = models.DateTimeField(null=True)
    retired_by = PersonField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "name"],
                condition=Q(retired_at=None),
                name="collections_queue_name_once",
            )
        ]

    def __str__(self) -> str:
        return f"list-{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("queue", args=[self.app_id, self.key])

    @property
    def key(self) -> str:
        """Key of the queue, as saved in leases and calls."""
        return str(self)


class Stop(models.Model):
    """A stop of all calls about one loan or, without a loan, of all calls to the borrower."""

    app_id = models.CharField(max_length=64)
    borrower_id = models.CharField(max_length=LONGEST_ID)
    account_id = models.CharField(max_length=LONGEST_ID, blank=True)
    kind = models.CharField(max_length=16, choices=StopKind.choices)
    call = models.ForeignKey(Call, null=True, on_delete=models.SET_NULL, related_name="stops")
    since = models.DateTimeField(default=timezone.now)
    created_by = PersonField()
    ended_at = models.DateTimeField(null=True)
    ended_by = PersonField(null=True)
    reason = EncryptedTextField(blank=True, bound_to=["id"])

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "borrower_id", "account_id", "kind"],
                condition=Q(ended_at=None),
                name="collections_stop_once",
            )
        ]
        indexes = [
            models.Index(
                fields=["app_id", "since", "id"],
                condition=Q(ended_at__isnull=True),
                name="collections_stop_open",
            ),
            models.Index(fields=["app_id", "borrower_id"], name="collections_stop_of"),
            # For the erasure of old reasons.
            models.Index(
                fields=["ended_at"],
                condition=Q(ended_at__isnull=False),
                name="collections_stop_ended",
            ),
        ]

    def __str__(self) -> str:
        return f"stop-{self.pk}"

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{account_id(self.borrower_id)} {self}"


class PaidLoan(models.Model):
    """A loan that was paid at the service after the snapshot, so the queues leave it out."""

    app_id = models.CharField(max_length=64)
    account_id = models.CharField(max_length=LONGEST_ID)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "account_id"], name="collections_paid_loan_once"
            )
        ]

    def __str__(self) -> str:
        return f"paid-{self.pk}"
