"""The files that people brought in, and their lines."""

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from lendingadmin.encryption import EncryptedTextField

from .lines import Kind

LONGEST_ID = 255


class StatementFile(models.Model):
    """A statement as it was brought in: what its head says, and how its days were read.

    `content` is the file itself, packed; it is deleted when it is old (keeping.py). `digest` knows
    the same file when it comes again. A table of an unknown layout has no `layout` until somebody
    says which column is what.
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
    opening = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    closing = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    paid_in = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    paid_out = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    newest_first = models.BooleanField(default=False)
    day_first = models.BooleanField(default=True)
    day_is_proposed = models.BooleanField(default=False)
    # Whether it is still known who paid its rows (erasure.py).
    has_texts = models.BooleanField(default=True)
    # What was compared, and where it breaks: `completeness.Proof`, made when the file was read.
    proof = models.JSONField(default=dict, encoder=DjangoJSONEncoder)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["app_id", "digest"], name="statement_file_once")
        ]
        indexes = [
            models.Index(fields=["app_id", "created_at", "id"], name="statement_file_of_app"),
            # Those whose content is so old that it is deleted.
            models.Index(
                fields=["created_at"], condition=~Q(content=""), name="statement_file_with_content"
            ),
            models.Index(
                fields=["created_at"], condition=Q(has_texts=True), name="statement_file_with_texts"
            ),
        ]

    def __str__(self) -> str:
        return f"statement-{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("statement", args=[self.app_id, self.pk])


class StatementLine(models.Model):
    """A line of a statement (`lines.Line`). Who paid stands encrypted, as JSON, in `about`."""

    file = models.ForeignKey(StatementFile, on_delete=models.CASCADE, related_name="lines")
    # Its place in the file; `number` is the row that a person finds it at.
    position = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    receipt = models.CharField(max_length=LONGEST_ID, blank=True)
    # What ids are compared by, as the journal's; empty where the receipt is nobody's key.
    receipt_key = models.CharField(max_length=LONGEST_ID, blank=True)
    is_damaged = models.BooleanField(default=False)
    amount = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    balance = models.DecimalField(max_digits=18, decimal_places=3, null=True)
    currency = models.CharField(max_length=3, blank=True)
    moment = models.DateTimeField(null=True)
    has_time = models.BooleanField(default=True)
    about = EncryptedTextField(blank=True, bound_to=["file", "position"])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["file", "position"], name="statement_line_once")
        ]
        indexes = [
            models.Index(fields=["file", "kind", "position"], name="statement_line_of_kind"),
            # The same receipt in this file or in another.
            models.Index(
                fields=["receipt_key"],
                condition=Q(kind=Kind.PAYMENT) & ~Q(receipt_key=""),
                name="statement_line_by_receipt",
            ),
        ]

    def __str__(self) -> str:
        return f"row {self.number} of {self.file}"


class KnownLayout(models.Model):
    """Which column of a table is what, as somebody said once (`lines.Mapping`, as JSON)."""

    app_id = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=32)
    network = models.CharField(max_length=100, blank=True)
    columns = models.JSONField(default=dict)
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
