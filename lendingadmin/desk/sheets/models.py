"""Collection sheets: lists of borrowers to visit for cash, and the returned amounts.

The collected amounts are rows of a statement file of counted cash (`statements`). Each entry of a
sheet's amounts makes a new file.
"""

from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.core.staff.models import PersonField
from lendingadmin.desk.portfolio.amounts import AmountField
from lendingadmin.desk.portfolio.models import LONGEST_ID
from lendingadmin.desk.statements.models import StatementFile

from .codes import LENGTH, write_code


class Choice(models.TextChoices):
    """The choice of the loans on a sheet."""

    ALL = "all", _("overdue or due")
    DUE = "due", _("due by the day of the sheet")
    OVERDUE = "overdue", _("overdue")


class Sheet(models.Model):
    """A list of loans for a collector, as printed on paper. Its rows never change.

    `day` is the day of the visit in the lender's time zone. `due` and `overdue` are the sums of the
    rows. `counted_at` is the time when the snapshot with these amounts began. `officer` is the
    officer whose borrowers are on the sheet; null if the sheet is for all borrowers. Sheets of the
    same form share `idempotency_key`.
    """

    class State(models.TextChoices):
        OPEN = "open", _("out on paper")
        RETURNED = "returned", _("returned")
        CANCELLED = "cancelled", _("cancelled")

    app_id = models.CharField(max_length=64)
    code = models.CharField(max_length=LENGTH, unique=True)
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    day = models.DateField()
    choice = models.CharField(max_length=7, choices=Choice.choices)
    product_id = models.CharField(max_length=LONGEST_ID, blank=True)
    officer = PersonField(null=True, db_index=False)
    row_count = models.PositiveIntegerField()
    due = AmountField()
    overdue = AmountField()
    counted_at = models.DateTimeField()
    idempotency_key = models.CharField(max_length=64)
    part = models.PositiveSmallIntegerField(default=1)
    created_by = PersonField(db_index=False)
    created_at = models.DateTimeField(default=timezone.now)
    # The time when the sheet was first opened for printing. Since then a paper copy may exist.
    printed_at = models.DateTimeField(null=True)
    cancelled_by = PersonField(null=True, db_index=False)
    cancelled_at = models.DateTimeField(null=True)
    reason = EncryptedTextField(blank=True, bound_to=["code"])

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["idempotency_key", "part"], name="sheets_sheet_once_per_form"
            )
        ]
        indexes = [
            models.Index(fields=["app_id", "created_at", "id"], name="sheets_sheet_of_app"),
            models.Index(
                fields=["app_id", "state", "created_at", "id"], name="sheets_sheet_in_state"
            ),
            # For the open sheets of a day, and for late sheets.
            models.Index(fields=["app_id", "state", "day"], name="sheets_sheet_of_day"),
            # For the erasure of old reasons of cancelled sheets.
            models.Index(
                fields=["cancelled_at"],
                condition=models.Q(cancelled_at__isnull=False),
                name="sheets_sheet_cancelled",
            ),
        ]

    def __str__(self) -> str:
        return f"sheet-{self.shown_code}"

    def get_absolute_url(self) -> str:
        return reverse("sheet", args=[self.app_id, self.code])

    @property
    def shown_code(self) -> str:
        """The code as it is printed."""
        return write_code(self.code)


class SheetRow(models.Model):
    """One loan on a sheet. Amounts are in the app's currency, null if the snapshot has none.

    `due` is the instalment that is due by the sheet's day. `overdue` is the amount that was overdue
    when the sheet was made. Of the borrower, the row has only the id.
    """

    sheet = models.ForeignKey(Sheet, on_delete=models.CASCADE, related_name="rows")
    number = models.PositiveSmallIntegerField()
    account_id = models.CharField(max_length=LONGEST_ID)
    borrower_id = models.CharField(max_length=LONGEST_ID, blank=True)
    due = AmountField()
    overdue = AmountField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sheet", "number"], name="sheets_row_once"),
            models.UniqueConstraint(fields=["sheet", "account_id"], name="sheets_loan_once"),
        ]
        indexes = [
            # For the list of a borrower's records.
            models.Index(fields=["borrower_id"], name="sheets_row_of"),
        ]

    def __str__(self) -> str:
        return f"row {self.number} of {self.sheet}"


class SheetReturn(models.Model):
    """A return of a sheet, with the amounts. The counted cash equals the sum of the amounts.

    The amounts are the lines of `file`, which is null if nothing was collected. `day` is the
    day of the collection.
    """

    sheet = models.ForeignKey(Sheet, on_delete=models.CASCADE, related_name="returns")
    number = models.PositiveSmallIntegerField()
    file = models.OneToOneField(
        StatementFile, null=True, on_delete=models.PROTECT, related_name="sheet_return"
    )
    counted = models.DecimalField(max_digits=18, decimal_places=3)
    day = models.DateField()
    created_by = PersonField(db_index=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sheet", "number"], name="sheets_return_once")
        ]

    def __str__(self) -> str:
        return f"{self.sheet}/{self.number}"
