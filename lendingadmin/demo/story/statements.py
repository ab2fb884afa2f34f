"""M-PESA statements: one of yesterday, and one of this morning that people can upload."""

import csv
import io
import random
from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta
from decimal import Decimal
from string import ascii_uppercase, digits
from typing import TYPE_CHECKING, NamedTuple

from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.portfolio.models import SnapshotLoan
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.desk.statements import keeping
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.people.index.names import get_names

from .cast import Cast, at

if TYPE_CHECKING:
    from .journal import Entry

_SHORT_CODE, _OPENING = "522533", Decimal("18250.00")
# Payers without a known loan: name, phone, entered account, and amount.
_STRANGERS = (
    ("PETER MAINA", "254722184903", "School fees", "2500.00"),
    ("ESTHER CHEBET", "254711630227", "0711630227", "1200.00"),
    ("JOHN OMONDI", "254790215577", "L-K99999", "4350.00"),
    ("LUCY WANJA", "254728440061", "Loan", "800.00"),
)


class Paid(NamedTuple):
    """A payment on a statement; `reference` is the account that the payer entered."""

    receipt: str
    at: datetime
    amount: Decimal
    name: str
    phone: str
    reference: str


def make_receipt(account_id: str, moment: datetime) -> str:
    """Return a receipt code in the form of M-PESA; the same code for the same loan and day."""
    chance = random.Random(f"{account_id} {moment:%Y%m%d}")  # noqa: S311 - no secret
    return f"T{moment:%j}"[:2] + "".join(chance.choices(ascii_uppercase + digits, k=8))


def upload_yesterday(app: LendingApp, cast: Cast, recorded: Iterable["Entry"]) -> None:
    """Upload yesterday's statement: the recorded repayments, and four payments of strangers."""
    paid = [
        Paid(
            repayment.external_id,
            repayment.transaction_date,
            repayment.amount,
            debt.name.upper(),
            debt.phone,
            debt.account_id,
        )
        for debt, repayment in recorded
    ]
    begins, opens = at(app, 1, "00:00"), at(app, 1, "09:02")
    for number, (name, phone, reference, amount) in enumerate(_STRANGERS):
        moment = opens + timedelta(minutes=97 * number)
        receipt = make_receipt(name, moment)
        paid.append(Paid(receipt, moment, Decimal(amount), name, phone, reference))
    ends = begins + timedelta(days=1, seconds=-1)
    keeping.take_in(app, _write(paid, begins, ends), cast.grace)


def write_this_morning(app: LendingApp) -> bytes:
    """Return a statement of today until now, with payments for loans of the newest update.

    Most payments can be recorded immediately, one is already recorded, and some need a decision.
    """
    now = timezone.now().astimezone(app.zone)
    begins = datetime.combine(now.date(), time(), app.zone)
    snapshot = find_with_loans(app.app_id)
    loans = SnapshotLoan.objects.filter(snapshot=snapshot, is_open=True, next_due_amount__gt=0)
    chance = random.Random(f"{now:%Y%m%d}")  # noqa: S311 - no secret
    found = list(loans.exclude(borrower_id="").order_by("account_id"))
    names = get_names(app.app_id, (loan.borrower_id for loan in found))
    known = [loan for loan in found if loan.borrower_id in names]
    some = chance.sample(known, min(12, len(known)))
    # The payments are within six hours, and none is in the future.
    step = min(now - begins, timedelta(hours=6)) / (len(some) + 3)
    paid = []
    for number, loan in enumerate(some, start=1):
        person, moment = names[loan.borrower_id], begins + step * number
        amount = (loan.next_due_amount or Decimal(0)).quantize(Decimal(1))
        # One payer enters the phone number instead of the loan. Another pays much more than owed.
        reference = person.phone if number == 4 else loan.account_id
        amount *= 40 if number == 8 else 1
        receipt = make_receipt(f"{loan.account_id} morning", moment)
        paid.append(Paid(receipt, moment, amount, person.name.upper(), person.phone, reference))
    name, phone, reference, stranger = _STRANGERS[0]
    receipt = make_receipt(f"{name} morning", now)
    paid.append(Paid(receipt, begins + step, Decimal(stranger), name, phone, reference))
    recorded = Repayment.objects.filter(
        app_id=app.app_id, network="M-PESA", transaction_date__gte=begins, state="recorded"
    )
    for one in recorded.order_by("id")[:1]:
        person = get_names(app.app_id, [one.borrower_id])[one.borrower_id]
        paid.append(
            Paid(
                one.external_id,
                one.transaction_date,
                one.amount,
                person.name.upper(),
                person.phone,
                one.account_id,
            )
        )
    return _write(paid, begins, now)


def _write(paid: Sequence[Paid], begins: datetime, ends: datetime) -> bytes:
    """Return the statement as the portal of M-PESA writes it, the newest payment first."""
    balance, rows = _OPENING, list[list[str]]()
    for one in sorted(paid, key=lambda one: (one.at, one.receipt)):
        balance += one.amount
        moment = f"{one.at.astimezone(begins.tzinfo):%d-%m-%Y %H:%M:%S}"
        phone = "".join(filter(str.isdigit, one.phone))
        payer = f"{phone[:5]}****{phone[-3:]} - {one.name}"
        rows.append(
            [
                *(one.receipt, moment, moment, f"Pay Bill from {payer} Acc. {one.reference}"),
                *("Completed", f"{one.amount:.2f}", "", f"{balance:.2f}", "TRUE"),
                *("Pay Utility", payer, "", one.reference),
            ]
        )
    head = [
        ["Account Holder", "Umoja Credit"],
        ["Short Code", _SHORT_CODE],
        [],
        ["Time Period", f"From {begins:%d-%m-%Y %H:%M:%S} To {ends:%d-%m-%Y %H:%M:%S}"],
        ["Opening Balance", f"{_OPENING:,}"],
        ["Closing Balance", f"{balance:,.2f}"],
        ["Total Paid In", f"{balance - _OPENING:,.2f}"],
        ["Total Withdrawn", "0.00"],
        [
            *("Receipt No.", "Completion Time", "Initiation Time", "Details"),
            *("Transaction Status", "Paid In", "Withdrawn", "Balance", "Balance Confirmed"),
            *("Reason Type", "Other Party Info", "Linked Transaction ID", "A/C No."),
        ],
    ]
    text = io.StringIO()
    csv.writer(text).writerows([*head, *reversed(rows)])
    return text.getvalue().encode()
