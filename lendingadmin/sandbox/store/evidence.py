"""Function that reads the data for an assessment: events of its window, and loans."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.models import Borrower, EventData, Loan
from lendingadmin.sandbox.rules import evidence
from lendingadmin.sandbox.rules.accounts import Payment
from lendingadmin.sandbox.rules.amounts import ZERO
from lendingadmin.sandbox.rules.evidence import Facts, Window
from lendingadmin.sandbox.rules.histories import LoanHistory, build_history, build_sent_history
from lendingadmin.sandbox.rules.ids import write_account_id
from lendingadmin.sandbox.rules.instants import read_timestamp
from lendingadmin.sandbox.rules.opening import read_arrears, read_lines
from lendingadmin.sandbox.store.encryption import decrypt


def gather(borrower: Borrower, over: Window) -> Facts:
    """Return the facts about the borrower in the window, from the current data."""
    histories = [*_read_accounts(borrower, over.until), *_read_sent(borrower, over.until)]
    return evidence.find_facts(_read_sets(borrower, over), histories, over)


def _read_sets(borrower: Borrower, over: Window) -> Iterator[dict[str, Any]]:
    rows = EventData.objects.filter(
        event__app_id=borrower.app_id,
        event__account_id=write_account_id(borrower.borrower_id),
        event__timestamp__gt=over.since,
        event__timestamp__lte=over.until,
    )
    for row in rows.order_by("event_id").iterator(chunk_size=8):
        yield from decrypt(row.encrypted)


def _read_accounts(borrower: Borrower, until: datetime) -> Iterator[LoanHistory]:
    """Yield the histories of the borrower's loan accounts in the sandbox."""
    rows = Loan.objects.filter(
        app_id=borrower.app_id, borrower_id=borrower.borrower_id, start_date__lte=until
    )
    for loan in rows.select_related("record").prefetch_related("repayments").order_by("id"):
        contract = wire.read_own(loan.record.contract)
        payments = [
            Payment(one.value_date, Decimal(one.amount))
            for one in sorted(loan.repayments.all(), key=lambda one: one.pk)
        ]
        yield build_history(
            read_lines(contract["installments"]), read_arrears(contract), payments, until
        )


def _read_sent(borrower: Borrower, until: datetime) -> Iterator[LoanHistory]:
    """Yield the histories of loans elsewhere. The record of the borrower has these loans."""
    held = set(
        Loan.objects.filter(
            app_id=borrower.app_id, borrower_id=borrower.borrower_id
        ).values_list("account_id", flat=True)
    )  # fmt: skip
    for sent in decrypt(borrower.encrypted)["loans"]:
        if sent["loanId"] not in held:
            yield build_sent_history(
                _read_moment(sent["endDate"]),
                _read_moment(sent["completionDate"]),
                Decimal(sent["principalAmount"] or ZERO),
                until,
            )


def _read_moment(text: str | None) -> datetime | None:
    return None if text is None else read_timestamp(text, "loans")
