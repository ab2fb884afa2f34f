"""Tables of the desk: files, lines, batches, allocations, saved payers and known layouts."""

import re

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import ExpressionWrapper, F, Q, Value
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.core.worker.models import Job
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState

from .findings import Basis, Decision, Finding
from .lines import Kind, Place

LONGEST_ID = 255
#: The layout of the counted cash of a collection sheet, which is not a statement of a network.
COUNTED_CASH = "collection-sheet"
# The beginning of an id that identity.py made from a bank's row.
_MADE = re.compile(r"\w*-D\d{8}-A")
# Defaults of two columns, for rows that the previous release inserts during an upgrade.
_NOTHING_SAID, _NOTHING_LEFT = Value({}, models.JSONField()), Value([], models.JSONField())


class StatementFile(models.Model):
    """Uploaded statement: the values of its head, and the order in which its days were read.

    `content` is the compressed file, which is deleted after some time (keeping.py). `digest`
    recognises a file that is uploaded twice. A table of an unknown layout has no `layout` until a
    person has named its columns.

    The counted cash of a collection sheet is saved as such a file too (`is_counted_cash`). Its
    `account` is the sheet's code. It covers no day of a network, confirms no repayment, and its
    rows have no place.
    """

    app_id = models.CharField(max_length=64)
    token = models.CharField(max_length=32, unique=True)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    content = EncryptedTextField(blank=True, bound_to=["token"])

    layout = models.CharField(max_length=40, blank=True)
    network = models.CharField(max_length=100, blank=True)
    account = models.CharField(max_length=100, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    begins = models.DateField(null=True)
    ends = models.DateField(null=True)
    # The first and last day that the file covers completely; null if the file is not complete.
    covers_from = models.DateField(null=True)
    covers_to = models.DateField(null=True)
    # The time when the worker searched for repayments of these days that no statement has
    # (alarms.py).
    searched_at = models.DateTimeField(null=True)
    opening = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    closing = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    paid_in = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    paid_out = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    newest_first = models.BooleanField(default=False)
    day_first = models.BooleanField(default=True)
    day_is_proposed = models.BooleanField(default=False)
    # Words of a status or a side that a person must explain, by field.
    unknown_words = models.JSONField(default=dict, db_default=_NOTHING_SAID)
    # Parts of the file that were not read, such as another sheet.
    unread = models.JSONField(default=list, db_default=_NOTHING_LEFT)
    # True until the payers of the rows are erased (erasure.py).
    has_texts = models.BooleanField(default=True)
    # The `completeness.Proof` that was made when the file was read, as JSON.
    proof = models.JSONField(default=dict, encoder=DjangoJSONEncoder)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["app_id", "digest"], name="statement_file_once")
        ]
        indexes = [
            models.Index(fields=["app_id", "created_at", "id"], name="statement_file_of_app"),
            # For the deletion of old content.
            models.Index(
                fields=["created_at"], condition=~Q(content=""), name="statement_file_with_content"
            ),
            models.Index(
                fields=["created_at"], condition=Q(has_texts=True), name="statement_file_with_texts"
            ),
            # For the search of files that cover a day, and of files whose days were not searched
            # yet.
            models.Index(fields=["app_id", "network", "covers_to"], name="statement_file_covers"),
            models.Index(
                fields=["covers_to"],
                condition=Q(searched_at__isnull=True),
                name="statement_file_unsearched",
            ),
        ]

    def __str__(self) -> str:
        return f"statement-{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("statement", args=[self.app_id, self.pk])

    @property
    def needs_answer(self) -> bool:
        """True if a person must explain the dates or the words of the file."""
        return self.day_is_proposed or bool(self.unknown_words)

    @property
    def is_certain(self) -> bool:
        """True if no row is missing or broken and no answer is needed."""
        return not self.proof.get("found") and not self.needs_answer

    @property
    def is_complete(self) -> bool:
        """True if the opening and closing balance prove that no row is missing.

        A complete file confirms repayments. Another file only shows that a payment is in it.
        """
        return self.is_certain and bool(self.proof.get("has_ends"))

    @property
    def is_counted_cash(self) -> bool:
        """True if the file is the cash of a collection sheet, not a statement of a network."""
        return self.layout == COUNTED_CASH

    @property
    def title(self) -> str:
        """Title of the file: the network, the collection sheet, or else the account."""
        if self.is_counted_cash:
            return gettext("Collection sheet %(code)s") % {"code": self.account}
        return self.network or self.account or str(self)


class StatementLine(models.Model):
    """A line of a statement (`lines.Line`); `about` has the payer as encrypted JSON."""

    file = models.ForeignKey(StatementFile, on_delete=models.CASCADE, related_name="lines")
    # `position` counts the lines of the file. `number` is the row as a spreadsheet counts it.
    position = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    receipt = models.CharField(max_length=LONGEST_ID, blank=True)
    # The receipt in the form that is compared with the journal's ids; empty if it can't be a key.
    receipt_key = models.CharField(max_length=LONGEST_ID, blank=True)
    # The bank's own reference, which may repeat, in the form that is compared; empty for an
    # operator.
    bank_key = models.CharField(max_length=LONGEST_ID, blank=True, db_default="")
    # The key of the payment that a reversal names.
    reverses_key = models.CharField(max_length=LONGEST_ID, blank=True, db_default="")
    is_damaged = models.BooleanField(default=False)
    amount = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    balance = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    currency = models.CharField(max_length=3, blank=True)
    moment = models.DateTimeField(null=True)
    has_time = models.BooleanField(default=True)
    about = EncryptedTextField(blank=True, bound_to=["file", "position"])
    # The place of a payment's money (places.py); empty if the line has no place.
    place = models.CharField(max_length=11, choices=Place.choices, blank=True)
    # The database computes this from `place`, so that a small index can be used.
    is_unallocated = models.GeneratedField(
        expression=ExpressionWrapper(Q(place=Place.UNALLOCATED), models.BooleanField()),
        output_field=models.BooleanField(),
        db_persist=True,
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    placed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    placed_at = models.DateTimeField(null=True)
    place_reason = EncryptedTextField(blank=True, bound_to=["file", "position"])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["file", "position"], name="statement_line_once")
        ]
        indexes = [
            models.Index(fields=["file", "kind", "position"], name="statement_line_of_kind"),
            # For the search of a receipt in this file and in others.
            models.Index(fields=["receipt_key"], name="statement_line_of_receipt"),
            models.Index(
                fields=["bank_key"],
                condition=~Q(bank_key=""),
                name="statement_line_of_bank",
            ),
            # Few rows are in this index: the reversals.
            models.Index(
                fields=["reverses_key"],
                condition=~Q(reverses_key=""),
                name="statement_line_reverses",
            ),
            # Few rows are in this index: the reversals that name no payment.
            models.Index(
                fields=["amount"],
                condition=Q(kind="reversal", reverses_key=""),
                name="statement_line_names_none",
            ),
            # Few rows are in this index: the unallocated payments.
            models.Index(
                fields=["moment", "id"],
                condition=Q(is_unallocated=True),
                name="statement_line_unallocated",
            ),
        ]

    def __str__(self) -> str:
        return f"row {self.number} of {self.file}"

    def get_absolute_url(self) -> str:
        return self.file.get_absolute_url()

    @property
    def app_id(self) -> str:
        """The lending app of the line's file."""
        return self.file.app_id

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{self.file}-{self.position}"

    @property
    def lacks_reference(self) -> bool:
        """True if the bank gives no reference, so that identity.py made the id."""
        return not self.bank_key and bool(_MADE.match(self.receipt))


class Batch(Job):
    """The payments of one statement on their way into the journal, and their progress.

    The worker finds and reads the loan of each payment (`checking`). People decide the payments
    that the worker can't decide (`ready`). If the limits require an approval, a second person
    approves the batch (`awaiting`). Then the worker records the accepted payments (`recording`).
    Each command in `batches` is a compare-and-swap.
    """

    class State(models.TextChoices):
        """State of a batch."""

        CHECKING = "checking", _("checking")
        READY = "ready", _("to decide")
        AWAITING = "awaiting", _(RepaymentState.AWAITING.label)
        RECORDING = "recording", _("recording")
        PAUSED = "paused", _("paused")
        DONE = "done", _("done")

    file = models.OneToOneField(StatementFile, on_delete=models.CASCADE, related_name="batch")
    state = models.CharField(max_length=10, choices=State.choices, default=State.CHECKING)
    # The person who last started a check or a recording. The repayments name this person.
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    began_at = models.DateTimeField(default=timezone.now)
    # The lines up to this position in the file are checked.
    checked = models.PositiveIntegerField(default=0)
    # The time when the recording began or was resumed. The rate is measured from this time.
    recording_since = models.DateTimeField(null=True)
    # The reason for a pause, or the last fault; empty if there is none.
    why = models.TextField(blank=True)
    # Number of consecutive faults of the service.
    tries = models.PositiveIntegerField(default=0)
    # The reasons why a second person must approve the batch (policies.py), separated by commas.
    # Empty if no approval is needed.
    approval_reasons = models.CharField(max_length=64, blank=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    approved_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # The database refuses to record a batch without an approval that it needs.
            models.CheckConstraint(
                condition=Q(approval_reasons="")
                | ~Q(state="recording")
                | Q(approved_by__isnull=False),
                name="statement_batch_approved",
            ),
            models.CheckConstraint(
                condition=Q(approved_by=None) | ~Q(approved_by=F("created_by")),
                name="statement_batch_approved_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"batch-{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("statement-batch", args=[self.file.app_id, self.file_id])

    @property
    def app_id(self) -> str:
        """The lending app of the batch's file."""
        return self.file.app_id

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{self.file} {self}"


class Allocation(models.Model):
    """The part of a line's money that goes to one loan; a split line has several parts.

    The parts of a line add up to its amount. `account_id` is empty if the loan is not known.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="allocations")
    line = models.ForeignKey(StatementLine, on_delete=models.CASCADE, related_name="allocations")
    # The position of the line in the file, and the number of this part of the line.
    position = models.PositiveIntegerField()
    part = models.PositiveSmallIntegerField(default=1)
    # This field has as many digits as the line's amount, which may be too large for the journal.
    amount = models.DecimalField(max_digits=18, decimal_places=3)
    account_id = models.CharField(max_length=LONGEST_ID, blank=True)
    borrower_id = models.CharField(max_length=LONGEST_ID, blank=True)
    basis = models.CharField(max_length=10, choices=Basis.choices, blank=True)
    finding = models.CharField(max_length=12, choices=Finding.choices)
    owed = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    decision = models.CharField(max_length=8, choices=Decision.choices, default=Decision.OPEN)
    reason = EncryptedTextField(blank=True, bound_to=["batch", "position", "part"])
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    # Number of the attempt to enter the row. Each attempt has its own idempotency key.
    attempt = models.PositiveSmallIntegerField(default=1)
    # True if the row waits for another open repayment of its loan.
    is_held = models.BooleanField(default=False)
    repayment = models.ForeignKey(
        Repayment, null=True, on_delete=models.PROTECT, related_name="allocations"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "position", "part"], name="statement_allocation_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["batch", "decision", "position"], name="statement_allocation_to_do"
            ),
            # For the list of a borrower's records, and for their erasure.
            models.Index(fields=["borrower_id"], name="statement_allocation_of"),
        ]

    def __str__(self) -> str:
        return f"part {self.part} of {self.line}"

    def get_absolute_url(self) -> str:
        file = self.batch.file
        args = [file.app_id, file.pk, self.position, self.part]
        return reverse("statement-allocation", args=args)

    @property
    def app_id(self) -> str:
        """The lending app of the allocation's statement."""
        return self.batch.file.app_id

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{self.batch.file}-{self.position}-{self.part}"

    @property
    def idempotency_key(self) -> str:
        """Idempotency key of the row's repayment.

        With this key, a worker that records the row again finds the repayment that was entered.
        """
        return f"statement-{self.pk}-{self.attempt}"


class PayerLink(models.Model):
    """Saved payer: a person noted that this payer pays this loan (payers.py).

    `payer` is a keyed hash. `shown` is the payer's name and phone for display.
    """

    app_id = models.CharField(max_length=64)
    payer = models.CharField(max_length=64)
    account_id = models.CharField(max_length=LONGEST_ID)
    borrower_id = models.CharField(max_length=LONGEST_ID, blank=True)
    shown = EncryptedTextField(bound_to=["app_id", "payer", "account_id"])
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["app_id", "payer", "account_id"], name="statement_payer_link_once"
            )
        ]
        indexes = [
            models.Index(fields=["app_id", "created_at", "id"], name="statement_payer_link_of_app"),
            # For the erasure of a borrower's saved payers.
            models.Index(fields=["borrower_id"], name="statement_payer_link_of"),
        ]

    def __str__(self) -> str:
        return f"payer-{self.pk}"

    @property
    def trail_subject(self) -> str:
        """Name of this record in the audit trail."""
        return f"{self.account_id} {self}"


class KnownLayout(models.Model):
    """Answers of people about a layout.

    `columns` is the mapping of its columns (`lines.Mapping`, as JSON). `words` has the meanings of
    its words (`reading.meanings.Answers`). If the dashboard knows the layout, `fingerprint` is the
    layout's key, and `columns` is empty.
    """

    app_id = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=40)
    network = models.CharField(max_length=100, blank=True)
    columns = models.JSONField(default=dict)
    words = models.JSONField(default=dict, db_default=_NOTHING_SAID)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["app_id", "fingerprint"], name="statement_layout_once")
        ]

    def __str__(self) -> str:
        return f"layout-{self.pk}"
