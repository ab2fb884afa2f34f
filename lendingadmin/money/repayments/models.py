"""Tables of the journal: repayments, readings of loans, reported mistakes, and cash counts.

The rows are the dashboard's own records of people's requests. They are not a copy of the service's
data, because the service documents no way to list repayments (spec: Loans).
"""

import unicodedata
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import ExpressionWrapper, F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.money.writes.messages import StateMessage
from lendingadmin.money.writes.unconfirmed import UnconfirmedWrite

from .evidence import Effect, effect
from .managers import RepaymentQuerySet
from .messages import get_message
from .states import (
    HOLDS_EXTERNAL_ID,
    NEEDS_CHECKING,
    OPEN,
    RESENDABLE,
    RESOLVABLE,
    UNAPPROVED,
    RepaymentState,
    Resolution,
)

LONGEST_ID = 255
_WHOLE = Decimal(1)


def normalise_external_id(external_id: str) -> str:
    """Return a transaction id in the form that is compared.

    Ids that differ only in case, spacing, dashes or width have the same form: the letters, digits
    and marks of the id, in Unicode's NFKC form, case folded and cut to 255. If an id has no
    letters, digits or marks, all other signs except the outer spaces are used.
    """
    if external_id.isascii() and external_id.isalnum():
        # This fast way serves nearly all ids. A statement may have 20,000 ids.
        return external_id.lower()[:LONGEST_ID]
    text = unicodedata.normalize("NFKC", external_id).casefold()
    bare = "".join(letter for letter in text if unicodedata.category(letter)[0] in "LNM")
    return unicodedata.normalize("NFKC", bare or text.strip())[:LONGEST_ID]


def trim_amount(amount: Decimal) -> Decimal:
    """Return the amount without trailing zeros: 3500.000 as 3500, 0.500 as 0.5."""
    whole = amount == amount.to_integral_value()
    return amount.quantize(_WHOLE) if whole else amount.normalize()


def write_receipt_number(app_id: str, year: int | None, sequence: int | None) -> str:
    """Return the number of a receipt, such as `KENYA-2026-000123`; empty if there is none."""
    if year is None or sequence is None:
        return ""
    return f"{app_id.upper()}-{year}-{sequence:06}"


class Repayment(UnconfirmedWrite):
    """One attempt to record a repayment, from the committed intent to the present state.

    Field names follow the parameters of the spec's MakeRepayment. Only `services` changes
    `state`, by compare-and-swap.
    """

    objects = RepaymentQuerySet.as_manager()

    app_id = models.CharField(max_length=64)
    account_id = models.CharField(max_length=LONGEST_ID)
    borrower_id = models.CharField(max_length=LONGEST_ID, blank=True)

    external_id = models.CharField(max_length=255)
    # The form of the id that is compared. `save` sets it from `external_id`.
    external_id_key = models.CharField(max_length=LONGEST_ID, editable=False)
    external_id_minted = models.BooleanField(default=False)
    # At most fifteen digits, because SQLite stores no more digits exactly.
    amount = models.DecimalField(
        max_digits=15, decimal_places=3, validators=[MinValueValidator(Decimal("0.001"))]
    )
    transaction_date = models.DateTimeField()
    value_date = models.DateTimeField()
    channel = models.CharField(max_length=16, blank=True)
    network = models.CharField(max_length=100, blank=True)
    currency_code = models.CharField(max_length=3, blank=True)
    notes = EncryptedTextField(blank=True, bound_to=["idempotency_key"])

    state = models.CharField(
        max_length=16, choices=RepaymentState.choices, default=RepaymentState.PENDING
    )
    # The database computes this column from `state`, so that one small index serves several states.
    needs_checking = models.GeneratedField(
        expression=ExpressionWrapper(Q(state__in=NEEDS_CHECKING), models.BooleanField()),
        output_field=models.BooleanField(),
        db_persist=True,
    )
    state_at = models.DateTimeField()
    created_at = models.DateTimeField()
    # The indexes of the four references to people are in Meta, because three of them are empty in
    # most rows.
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="repayments",
        db_index=False,
    )
    # The reasons why a second person must approve the repayment (policies.py), separated by commas.
    # Empty if no approval is needed.
    approval_reasons = models.CharField(max_length=64, blank=True)
    approved_at = models.DateTimeField(null=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    send_before = models.DateTimeField()
    # True if a sweep ended the repayment, because its sender had stopped. If the database was
    # restored, the repayment may have been sent all the same.
    ended_by_sweep = models.BooleanField(default=False)
    sent_at = models.DateTimeField(null=True)
    retry_of = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="retries", db_index=False
    )
    # True if the service confirmed this repayment late, when another repayment already had the same
    # externalId.
    duplicate = models.BooleanField(default=False)

    # The answer of the service: its status, its words and its reference.
    status = models.IntegerField(null=True)
    error_description = EncryptedTextField(blank=True, bound_to=["idempotency_key"])
    request_id = models.CharField(max_length=255, blank=True)
    why = models.TextField(blank=True)

    # The time when managers got a mail about the unknown result (notifications.py).
    notified_at = models.DateTimeField(null=True)

    set_aside_at = models.DateTimeField(null=True)
    set_aside_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    set_aside_reason = EncryptedTextField(blank=True, bound_to=["idempotency_key"])
    resolution = models.CharField(max_length=16, choices=Resolution.choices, blank=True)

    # The number of the receipt. It is set with the outcome (receipts.py) and never changes. It is
    # NULL if the repayment is not known to be recorded, or was recorded before receipts had
    # numbers.
    receipt_year = models.PositiveSmallIntegerField(null=True, editable=False)
    receipt_sequence = models.PositiveIntegerField(null=True, editable=False)
    # The time when the receipt was first opened for printing. A browser does not report printing.
    receipt_opened_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "receipt_year", "receipt_sequence"],
                name="repayment_receipt_number_once",
            ),
            models.UniqueConstraint(
                fields=["app_id", "account_id", "external_id_key"],
                condition=Q(duplicate=False)
                & (
                    Q(state__in=HOLDS_EXTERNAL_ID)
                    | Q(state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED)
                ),
                name="repayment_external_id_once_per_loan",
            ),
            models.UniqueConstraint(
                fields=["app_id", "account_id"],
                condition=Q(state__in=OPEN, set_aside_at=None),
                name="repayment_one_open_per_loan",
            ),
            # The database never releases a repayment that lacks a required second person, whatever
            # the code does.
            models.CheckConstraint(
                condition=Q(approval_reasons="")
                | Q(state__in=UNAPPROVED)
                | Q(approved_by__isnull=False),
                name="repayment_approved_before_sent",
            ),
            models.CheckConstraint(
                condition=Q(approved_by=None) | ~Q(approved_by=F("created_by")),
                name="repayment_approved_by_another",
            ),
        ]
        # SQLite uses a partial index only if the query has the index's condition in the same form.
        # A query with `state IN (…)` and parameters never has this form. So the conditions test for
        # NULL or for a true column, which both databases recognise.
        indexes = [
            # The loan page, the search for repayments that block a new one, attribution.
            models.Index(fields=["app_id", "account_id", "-id"], name="repayment_of_loan"),
            # The borrower page, look-alikes.
            models.Index(fields=["app_id", "borrower_id", "-id"], name="repayment_of_borrower"),
            # Look-alikes, the journal's search.
            models.Index(fields=["app_id", "external_id_key"], name="repayment_by_external_id"),
            # The journal, the figures of a day, end of day by entry.
            models.Index(fields=["app_id", "created_at", "id"], name="repayment_by_entry"),
            # The journal and end of day by the day of the transaction.
            models.Index(
                fields=["app_id", "transaction_date", "id"], name="repayment_by_transaction"
            ),
            # The badge and the journal's filter by state. For all apps: the sweep and the mails to
            # managers.
            models.Index(fields=["state", "app_id", "created_at", "id"], name="repayment_in_state"),
            # A person's recent work, the journal's filter by person, and the foreign key.
            models.Index(
                fields=["created_by", "app_id", "created_at", "id"], name="repayment_of_person"
            ),
            # The following indexes have few rows, so it costs almost nothing to write them.
            models.Index(
                fields=["app_id", "created_at", "id"],
                condition=Q(needs_checking=True),
                name="repayment_needs_checking",
            ),
            models.Index(
                fields=["app_id", "next_check_at"],
                condition=Q(next_check_at__isnull=False),
                name="repayment_next_check",
            ),
            models.Index(
                fields=["app_id", "alarm_at", "id"],
                condition=Q(alarm_at__isnull=False, alarm_seen_at__isnull=True),
                name="repayment_alarm",
            ),
            models.Index(
                fields=["notified_at"],
                condition=Q(notified_at__isnull=False),
                name="repayment_notified",
            ),
            models.Index(
                fields=["retry_of"], condition=Q(retry_of__isnull=False), name="repayment_retry"
            ),
            models.Index(
                fields=["set_aside_by"],
                condition=Q(set_aside_by__isnull=False),
                name="repayment_set_aside_by",
            ),
            models.Index(
                fields=["resolved_by"],
                condition=Q(resolved_by__isnull=False),
                name="repayment_resolved_by",
            ),
            models.Index(
                fields=["approved_by"],
                condition=Q(approved_by__isnull=False),
                name="repayment_approved_by",
            ),
        ]

    def __str__(self) -> str:
        return f"rp-{self.pk}"

    def save(self, *args: Any, **options: Any) -> None:
        """Save the row, with the externalId also in normalised form."""
        self.external_id_key = normalise_external_id(self.external_id)
        super().save(*args, **options)

    def get_absolute_url(self) -> str:
        return reverse("repayment", args=[self.app_id, self.pk])

    def body(self) -> dict[str, Any]:
        """Return the request body of MakeRepayment (spec: Loans); absent values are null."""
        return {
            "externalId": self.external_id,
            "amount": self.exact_amount,
            "transactionDate": self.transaction_date.astimezone(UTC).isoformat(),
            "valueDate": self.value_date.astimezone(UTC).isoformat(),
            "channel": self.channel or None,
            "network": self.network or None,
            "currencyCode": self.currency_code or None,
            "notes": self.notes or None,
        }

    @property
    def exact_amount(self) -> Decimal:
        """The amount as entered, without trailing zeros."""
        return trim_amount(self.amount)

    @property
    def shown_currency(self) -> str:
        """The currency of the repayment, or else the currency of the app."""
        return self.currency_code or self._app_currency

    @property
    def moves_paid_by(self) -> Decimal | None:
        """The amount by which this repayment raises `paid`; None if the service must convert it."""
        is_the_loans = self.currency_code in ("", self._app_currency)
        return self.amount if is_the_loans else None

    @property
    def _app_currency(self) -> str:
        apps = {app.app_id: app.currency for app in settings.LENDING_APPS}
        return apps.get(self.app_id, "")

    @property
    def message(self) -> StateMessage:
        """Words and colours for the present state."""
        return get_message(self.state, self.resolution, ended_by_sweep=self.ended_by_sweep)

    @property
    def is_recorded(self) -> bool:
        """True if the repayment is known to be recorded, by the service or by a person.

        Evidence alone is not enough.
        """
        by_a_person = self.state == RepaymentState.RESOLVED
        return self.state == RepaymentState.RECORDED or (
            by_a_person and self.resolution == Resolution.RECORDED
        )

    @property
    def receipt_number(self) -> str:
        """The number of the receipt, such as `KENYA-2026-000123`; empty if there is none."""
        return write_receipt_number(self.app_id, self.receipt_year, self.receipt_sequence)

    @property
    def is_open(self) -> bool:
        """True if the repayment is unfinished.

        An unfinished repayment blocks other repayments of its loan unless it is set aside.
        """
        return self.state in OPEN

    @property
    def may_be_resent(self) -> bool:
        """True if a person may send the repayment again, as a new row."""
        return self.state in RESENDABLE

    @property
    def may_be_resolved(self) -> bool:
        """True if a person may resolve the repayment."""
        return self.state in RESOLVABLE

    def reading(self, kind: str) -> "Reading | None":
        """Return the latest reading of this kind; None if there is none."""
        return self.readings.filter(kind=kind).order_by("-id").first()

    @property
    def baseline(self) -> "Reading | None":
        """The balances before the repayment was sent; None if they were not read."""
        return self.reading(Reading.Kind.BASELINE)

    @property
    def latest(self) -> "Reading | None":
        """The newest balances read after the repayment was sent; None if there are none."""
        after = self.readings.exclude(kind__in=Reading.BEFORE_SENDING)
        return after.order_by("-id").first()

    def effect_of(self, before: "Reading | None", after: "Reading | None") -> Effect:
        """Return the effect of this repayment between two readings.

        The result is right only if nothing else changed the balances.
        """
        rise = effect(
            before.paid_amount if before else None,
            after.paid_amount if after else None,
            self.amount,
        )
        is_compared = self.moves_paid_by is not None or rise == Effect.NOT_YET
        return rise if is_compared else Effect.UNREADABLE


class ReceiptCounter(models.Model):
    """Counter of an app's receipts in one year. The year is in the lender's time zone."""

    app_id = models.CharField(max_length=64)
    year = models.PositiveSmallIntegerField()
    last = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["app_id", "year"], name="receipt_counter_once")
        ]

    def __str__(self) -> str:
        return f"{self.app_id}-{self.year}-{self.last}"


class Mistake(models.Model):
    """A person's report that a repayment is wrong, and a manager's decision on it.

    The service documents no way to undo a repayment (spec: Loans), so a report does not change the
    repayment. `note` and `reason` may be personal, so both are encrypted.
    """

    class Review(models.TextChoices):
        CORRECTED = "corrected", gettext_lazy("corrected at the service")
        OTHERWISE = "otherwise", gettext_lazy("corrected in another way")
        NO_MISTAKE = "no_mistake", gettext_lazy("it was correct")

    repayment = models.ForeignKey(Repayment, on_delete=models.PROTECT, related_name="mistakes")
    note = EncryptedTextField(bound_to=["idempotency_key"])
    reported_at = models.DateTimeField()
    reported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    idempotency_key = models.CharField(max_length=64, unique=True)
    reviewed_as = models.CharField(max_length=16, choices=Review.choices, blank=True)
    reason = EncryptedTextField(blank=True, bound_to=["idempotency_key"])
    reviewed_at = models.DateTimeField(null=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["repayment"], condition=Q(reviewed_at=None), name="mistake_one_open"
            ),
            models.CheckConstraint(
                condition=Q(reviewed_by=None) | ~Q(reviewed_by=F("reported_by")),
                name="mistake_reviewed_by_another",
            ),
        ]

    def __str__(self) -> str:
        return gettext("report %(report)s on %(repayment)s") % {
            "report": self.pk,
            "repayment": f"rp-{self.repayment_id}",
        }

    def get_absolute_url(self) -> str:
        return self.repayment.get_absolute_url()

    @property
    def app_id(self) -> str:
        """The lending app of the mistake's repayment."""
        return self.repayment.app_id

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{self.repayment.account_id} {self.repayment}"

    @property
    def is_open(self) -> bool:
        """True if the mistake still waits for a review."""
        return self.reviewed_at is None


class Reading(models.Model):
    """A fresh reading of a loan's balances, stored as evidence.

    The amounts are text, exactly as the service sent them.
    """

    class Kind(models.TextChoices):
        """Time of a reading: at entry, before sending, after an answer, or in a check."""

        ENTERED = "entered", gettext_lazy("when entered")
        BASELINE = "baseline", gettext_lazy("before")
        AFTER = "after", gettext_lazy("after")
        CHECK = "check", gettext_lazy("check")

    BEFORE_SENDING = (Kind.ENTERED, Kind.BASELINE)
    LONGEST_AMOUNT = 64

    repayment = models.ForeignKey(Repayment, on_delete=models.CASCADE, related_name="readings")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    taken_at = models.DateTimeField()
    paid = models.CharField(max_length=LONGEST_AMOUNT, blank=True)
    unpaid = models.CharField(max_length=LONGEST_AMOUNT, blank=True)
    overdue = models.CharField(max_length=LONGEST_AMOUNT, blank=True, db_default="")
    # The next instalment at that time: the amount to pay, and the due date in ISO 8601.
    next_amount = models.CharField(max_length=LONGEST_AMOUNT, blank=True)
    next_due = models.CharField(max_length=LONGEST_AMOUNT, blank=True)
    fault = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"rp-{self.repayment_id}-{self.kind}"

    @property
    def paid_amount(self) -> Decimal | None:
        """The total amount paid; None if it could not be read."""
        return _decimal(self.paid)

    @property
    def unpaid_amount(self) -> Decimal | None:
        """The total unpaid amount; None if it could not be read."""
        return _decimal(self.unpaid)

    @property
    def overdue_amount(self) -> Decimal | None:
        """The total overdue amount; None if it could not be read."""
        return _decimal(self.overdue)

    @property
    def next_due_amount(self) -> Decimal | None:
        """The amount to pay for the next instalment; None if it could not be read."""
        return _decimal(self.next_amount)

    @property
    def next_due_at(self) -> datetime | None:
        """The time when the next instalment is due; None if it could not be read."""
        return datetime.fromisoformat(self.next_due) if self.next_due else None


class Restoration(models.Model):
    """A restore of the database: all rows written from `since` to `until` are lost.

    A restore is open until a person has checked the repayments of that time. An app has at most one
    open restore.
    """

    app_id = models.CharField(max_length=64)
    since = models.DateTimeField()
    until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id"], condition=Q(ended_at=None), name="restoration_one_open"
            )
        ]

    def __str__(self) -> str:
        return f"restored-{self.pk}"


class CashCount(models.Model):
    """Cash count of one cashier in one currency for one day; the newest count is valid."""

    app_id = models.CharField(max_length=64)
    day = models.DateField()
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    currency = models.CharField(max_length=3)
    amount = models.DecimalField(
        max_digits=15, decimal_places=3, validators=[MinValueValidator(Decimal(0))]
    )
    counted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    counted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["app_id", "day", "id"], name="cash_count_of_day"),
        ]

    def __str__(self) -> str:
        return f"{self.app_id}-{self.day:%Y-%m-%d}-{self.currency}"


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text) if text else None
    except InvalidOperation:
        return None
