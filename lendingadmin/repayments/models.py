"""The repayment ledger's rows.

They are the dashboard's own memory of what people asked the service to record, not a copy of the
service's data: the service documents no way to list repayments (spec: Loans).
"""

import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from lendingadmin.sealing import SealedTextField

from .evidence import Effect, effect
from .states import HOLDS_EXTERNAL_ID, OPEN, RESENDABLE, SETTLEABLE, State, Verdict

LONGEST_ID = 255


def normalise_external_id(external_id: str) -> str:
    """The form in which transaction ids are compared: other case, spacing, dashes or width are the
    same id.

    Letters, digits and marks in Unicode's NFKC form, case folded, cut to 255; an id that has none
    of them is compared as it stands.
    """
    text = unicodedata.normalize("NFKC", external_id).casefold()
    bare = "".join(letter for letter in text if unicodedata.category(letter)[0] in "LNM")
    return unicodedata.normalize("NFKC", bare or text.strip())[:LONGEST_ID]


class Repayment(models.Model):
    """One attempt to record a repayment, from the committed intent to what is known of it now.

    Field names follow the parameters of the spec's MakeRepayment. `state` changes only through
    `ledger.move`, which is a compare-and-swap.
    """

    app_id = models.CharField(max_length=64)
    account_id = models.CharField(max_length=LONGEST_ID)
    borrower_id = models.CharField(max_length=LONGEST_ID, blank=True)

    external_id = models.CharField(max_length=255)
    # What ids are compared by; `save` keeps it in step.
    external_id_key = models.CharField(max_length=LONGEST_ID, editable=False)
    external_id_minted = models.BooleanField(default=False)
    # Fifteen digits at most: SQLite keeps no more of a number exactly.
    amount = models.DecimalField(
        max_digits=15, decimal_places=3, validators=[MinValueValidator(Decimal("0.001"))]
    )
    transaction_date = models.DateTimeField()
    value_date = models.DateTimeField()
    channel = models.CharField(max_length=16, blank=True)
    network = models.CharField(max_length=100, blank=True)
    currency_code = models.CharField(max_length=3, blank=True)
    notes = SealedTextField(blank=True)

    state = models.CharField(max_length=16, choices=State.choices, default=State.PENDING)
    state_at = models.DateTimeField()
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="repayments"
    )
    send_before = models.DateTimeField()
    # Nobody saw its sender stop: a sweep found it. After a restored backup it may have been sent.
    ended_by_sweep = models.BooleanField(default=False)
    sent_at = models.DateTimeField(null=True)
    form = models.CharField(max_length=64, unique=True)
    retry_of = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="retries"
    )
    # The service acknowledged this one late, when another with the same externalId was live.
    duplicate = models.BooleanField(default=False)

    # What the service said: its status, its own words, its reference.
    status = models.IntegerField(null=True)
    error_description = models.TextField(blank=True)
    request_id = models.CharField(max_length=255, blank=True)
    why = models.TextField(blank=True)

    looks = models.PositiveIntegerField(default=0)
    next_look_at = models.DateTimeField(null=True)
    alarm = models.TextField(blank=True)
    alarm_at = models.DateTimeField(null=True)
    alarm_seen_at = models.DateTimeField(null=True)
    # When managers were written to because nobody knew what became of it (notices.py).
    told_at = models.DateTimeField(null=True)

    set_aside_at = models.DateTimeField(null=True)
    set_aside_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    set_aside_reason = models.TextField(blank=True)
    settled_as = models.CharField(max_length=16, choices=Verdict.choices, blank=True)
    settled_at = models.DateTimeField(null=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    settled_reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "account_id", "external_id_key"],
                condition=Q(duplicate=False)
                & (
                    Q(state__in=HOLDS_EXTERNAL_ID)
                    | Q(state=State.SETTLED, settled_as=Verdict.RECORDED)
                ),
                name="repayment_external_id_once_per_loan",
            ),
            models.UniqueConstraint(
                fields=["app_id", "account_id"],
                condition=Q(state__in=OPEN, set_aside_at=None),
                name="repayment_one_open_per_loan",
            ),
        ]
        indexes = [
            models.Index(fields=["app_id", "account_id", "-id"], name="repayment_of_loan"),
            models.Index(fields=["app_id", "borrower_id", "-id"], name="repayment_of_borrower"),
            models.Index(fields=["app_id", "-id"], name="repayment_of_app"),
            models.Index(fields=["external_id_key"], name="repayment_by_external_id"),
            models.Index(fields=["next_look_at"], name="repayment_next_look"),
        ]

    def __str__(self) -> str:
        return f"rp-{self.pk}"

    def save(self, *args: Any, **options: Any) -> None:
        """Keep the row, with the form of its externalId that ids are compared by."""
        self.external_id_key = normalise_external_id(self.external_id)
        super().save(*args, **options)

    def get_absolute_url(self) -> str:
        return reverse("repayment", args=[self.app_id, self.pk])

    def body(self) -> dict[str, Any]:
        """The request body of MakeRepayment (spec: Loans); absent values go out as null."""
        return {
            "externalId": self.external_id,
            "amount": self.exact_amount,
            "transactionDate": self.transaction_date.isoformat(),
            "valueDate": self.value_date.isoformat(),
            "channel": self.channel or None,
            "network": self.network or None,
            "currencyCode": self.currency_code or None,
            "notes": self.notes or None,
        }

    @property
    def exact_amount(self) -> Decimal:
        """The amount as it was entered, without the zeros that its column adds."""
        whole = self.amount == self.amount.to_integral_value()
        return self.amount.quantize(Decimal(1)) if whole else self.amount.normalize()

    @property
    def shown_currency(self) -> str:
        """The currency that was given, else that of the app."""
        return self.currency_code or self._app_currency

    @property
    def moves_paid_by(self) -> Decimal | None:
        """By how much it raises what stands as paid; None where the service must convert it."""
        is_the_loans = self.currency_code in ("", self._app_currency)
        return self.amount if is_the_loans else None

    @property
    def _app_currency(self) -> str:
        apps = {app.app_id: app.currency for app in settings.LENDING_APPS}
        return apps.get(self.app_id, "")

    @property
    def is_open(self) -> bool:
        """Whether it still blocks other repayments of its loan, unless it was set aside."""
        return self.state in OPEN

    @property
    def may_be_resent(self) -> bool:
        """Whether a person may send it again, as a new row."""
        return self.state in RESENDABLE

    @property
    def may_be_settled(self) -> bool:
        """Whether a person may decide what became of it."""
        return self.state in SETTLEABLE

    def reading(self, kind: str) -> "Reading | None":
        """The latest reading of this kind, if there is one."""
        return self.readings.filter(kind=kind).order_by("-id").first()

    @property
    def baseline(self) -> "Reading | None":
        """The balances as they stood before it was sent."""
        return self.reading(Reading.Kind.BASELINE)

    @property
    def latest(self) -> "Reading | None":
        """The newest balances read after it was sent."""
        return self.readings.exclude(kind=Reading.Kind.BASELINE).order_by("-id").first()

    def effect_of(self, before: "Reading | None", after: "Reading | None") -> Effect:
        """What two readings say of it, as if nothing else had moved the loan."""
        rise = effect(
            before.paid_amount if before else None,
            after.paid_amount if after else None,
            self.amount,
        )
        is_compared = self.moves_paid_by is not None or rise == Effect.NOT_YET
        return rise if is_compared else Effect.UNREADABLE


class Mistake(models.Model):
    """A person's report that a repayment is wrong, and what a manager made of it.

    The service documents no way to undo a repayment (spec: Loans), so nothing about the repayment
    changes by it. `note` and `reason` may be personal, so both are sealed.
    """

    class Review(models.TextChoices):
        """What the review came to."""

        CORRECTED = "corrected", "corrected at the service"
        OTHERWISE = "otherwise", "put right another way"
        NO_MISTAKE = "no_mistake", "no mistake"

    repayment = models.ForeignKey(Repayment, on_delete=models.PROTECT, related_name="mistakes")
    note = SealedTextField()
    reported_at = models.DateTimeField()
    reported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    form = models.CharField(max_length=64, unique=True)
    reviewed_as = models.CharField(max_length=16, choices=Review.choices, blank=True)
    reason = SealedTextField(blank=True)
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
        return f"report {self.pk} on rp-{self.repayment_id}"

    @property
    def is_open(self) -> bool:
        """Whether it still waits for a review."""
        return self.reviewed_at is None


class Reading(models.Model):
    """A fresh reading of a loan's balances, kept as evidence; amounts as the service wrote them."""

    class Kind(models.TextChoices):
        """When it was taken: before sending, right after an answer, or while looking for one."""

        BASELINE = "baseline", "before"
        AFTER = "after", "after"
        LOOK = "look", "look"

    LONGEST_AMOUNT = 64

    repayment = models.ForeignKey(Repayment, on_delete=models.CASCADE, related_name="readings")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    taken_at = models.DateTimeField()
    paid = models.CharField(max_length=LONGEST_AMOUNT, blank=True)
    unpaid = models.CharField(max_length=LONGEST_AMOUNT, blank=True)
    fault = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} of rp-{self.repayment_id}"

    @property
    def paid_amount(self) -> Decimal | None:
        """What stood as paid in all; None where it could not be read."""
        return _decimal(self.paid)

    @property
    def unpaid_amount(self) -> Decimal | None:
        """What stood as unpaid in all; None where it could not be read."""
        return _decimal(self.unpaid)


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text) if text else None
    except InvalidOperation:
        return None
