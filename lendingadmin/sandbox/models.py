"""Tables of the sandbox. Personal data is only in `encrypted` columns; money is text, not REAL."""

from datetime import datetime

from django.db import models

from lendingadmin.sandbox.rules.scoring import Outcome
from lendingadmin.sandbox.store.encryption import decrypt


class Row(models.Model):
    """Base of every table.

    The base names the app, because tests import the models without the app.
    """

    class Meta:
        abstract = True
        app_label = "sandbox"

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class Token(Row):
    """An issued access token; only its hash is stored."""

    digest = models.CharField(max_length=64, primary_key=True)
    client_id = models.CharField(max_length=200)
    scope = models.CharField(max_length=200)
    expires_at = models.DateTimeField(db_index=True)


class Borrower(Row):
    """A borrower of an app. `encrypted` has all data that was sent about the borrower."""

    app_id = models.CharField(max_length=200)
    borrower_id = models.CharField(max_length=200)
    uid = models.UUIDField(unique=True)
    category = models.CharField(max_length=20)
    encrypted = models.BinaryField()
    created_at = models.DateTimeField()

    class Meta(Row.Meta):
        constraints = [
            models.UniqueConstraint(fields=["app_id", "borrower_id"], name="borrower_once")
        ]
        indexes = [models.Index(fields=["app_id", "created_at", "id"], name="borrower_order")]


class Loan(Row):
    """A loan account. The rows have only columns for filters; LoanRecord has the other data.

    No status is stored. It is computed from `start_date`, `settlement_date`, `oldest_due` and the
    time.
    """

    app_id = models.CharField(max_length=200)
    account_id = models.CharField(max_length=200)
    uid = models.UUIDField(unique=True)
    borrower_id = models.CharField(max_length=200)
    category = models.CharField(max_length=20)
    sequence_no = models.PositiveIntegerField()
    product_id = models.CharField(max_length=200)
    loan_type = models.CharField(max_length=50)
    loan_amount = models.CharField(max_length=40)
    start_date = models.DateTimeField()
    maturity_date = models.DateTimeField()
    settlement_date = models.DateTimeField(null=True)
    oldest_due = models.DateTimeField(null=True)
    lender_id = models.CharField(max_length=200, null=True)  # noqa: DJ001 the spec's null
    assessment_id = models.CharField(max_length=200, null=True)  # noqa: DJ001 the spec's null
    request_id = models.CharField(max_length=200)
    app_version_id = models.CharField(max_length=20)
    created_at = models.DateTimeField()

    class Meta(Row.Meta):
        constraints = [models.UniqueConstraint(fields=["app_id", "account_id"], name="loan_once")]
        indexes = [
            models.Index(
                fields=[
                    "app_id", "created_at", "id", "start_date", "settlement_date", "oldest_due",
                    "loan_type", "app_version_id",
                ],
                name="loan_order",
            ),
            models.Index(fields=["app_id", "borrower_id", "created_at", "id"], name="loan_holder"),
            models.Index(
                fields=["app_id", "assessment_id", "created_at", "id"], name="loan_assessment"
            ),
        ]  # fmt: skip


class LoanRecord(Row):
    """Large data of a loan: its contract as JSON, its account, and all other data that was sent."""

    loan = models.OneToOneField(
        Loan, on_delete=models.CASCADE, primary_key=True, related_name="record"
    )
    contract = models.TextField()
    account = models.TextField()
    extras = models.TextField()


class Repayment(Row):
    """A repayment. It is not `posted` if its value date is in the future."""

    loan = models.ForeignKey(Loan, on_delete=models.CASCADE, related_name="repayments")
    app_id = models.CharField(max_length=200)
    amount = models.CharField(max_length=40)
    value_date = models.DateTimeField()
    posted = models.BooleanField()
    encrypted = models.BinaryField()
    created_at = models.DateTimeField()

    class Meta(Row.Meta):
        indexes = [
            models.Index(
                fields=["app_id", "value_date"],
                condition=models.Q(posted=False),
                name="repayment_waiting",
            )
        ]


class Event(Row):
    """An event. The rows have only columns for filters; EventData has the encrypted data.

    No status is stored. It is computed from `ready_at`, `has_errors` and the time.
    """

    app_id = models.CharField(max_length=200)
    event_id = models.CharField(max_length=40)
    uid = models.UUIDField(unique=True)
    account_id = models.CharField(max_length=220)
    event_type = models.CharField(max_length=50)
    timestamp = models.DateTimeField()
    category = models.CharField(max_length=20, null=True)  # noqa: DJ001 the spec's null
    app_version_id = models.CharField(max_length=20)
    has_errors = models.BooleanField()
    ready_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta(Row.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "account_id", "event_type", "timestamp"], name="event_once"
            )
        ]
        indexes = [
            models.Index(
                fields=[
                    "app_id", "created_at", "id", "ready_at", "has_errors", "category",
                    "event_type", "app_version_id",
                ],
                name="event_order",
            ),
            models.Index(fields=["app_id", "account_id", "created_at", "id"], name="event_account"),
            models.Index(
                fields=["app_id", "account_id", "category", "created_at", "id"], name="event_last"
            ),
            models.Index(fields=["app_id", "category", "created_at", "id"], name="event_category"),
            models.Index(fields=["app_id", "timestamp", "created_at", "id"], name="event_moment"),
        ]  # fmt: skip


class EventData(Row):
    """Entity values of an event, encrypted."""

    event = models.OneToOneField(
        Event, on_delete=models.CASCADE, primary_key=True, related_name="data"
    )
    encrypted = models.BinaryField()


class Assessment(Row):
    """An assessment. The outcome is computed when it is created, and shown after `ready_at`."""

    app_id = models.CharField(max_length=200)
    assessment_id = models.CharField(max_length=40)
    uid = models.UUIDField(unique=True)
    account_id = models.CharField(max_length=220)
    assessment_type = models.CharField(max_length=200)
    timestamp = models.DateTimeField()
    request_id = models.CharField(max_length=200, null=True)  # noqa: DJ001 the spec's null
    app_version_id = models.CharField(max_length=20)
    encrypted = models.BinaryField()
    ready_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta(Row.Meta):
        constraints = [
            models.UniqueConstraint(fields=["app_id", "assessment_id"], name="assessment_once")
        ]
        indexes = [
            models.Index(fields=["app_id", "created_at", "id"], name="assessment_order"),
            models.Index(fields=["app_id", "account_id"], name="assessment_account"),
        ]

    def outcome_at(self, now: datetime) -> Outcome | None:
        """Return the outcome, or None if the assessment is still being processed at `now`."""
        return None if now < self.ready_at else Outcome(**decrypt(self.encrypted))


class OfferOperation(Row):
    """A getOffers request. There is one for each requestId of a borrower.

    No state is stored, because `assessment` gives the progress. `encrypted` has the borrower's
    category and debt at the time of the request, because the offer must not change later.
    """

    borrower = models.ForeignKey(Borrower, on_delete=models.CASCADE, related_name="offers")
    request_id = models.CharField(max_length=200)
    operation_id = models.UUIDField(unique=True)
    assessment = models.OneToOneField(Assessment, on_delete=models.CASCADE, related_name="offer")
    encrypted = models.BinaryField()
    expires_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta(Row.Meta):
        constraints = [
            models.UniqueConstraint(fields=["borrower", "request_id"], name="offer_once")
        ]
