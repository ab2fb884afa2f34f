"""A borrower's loans in one table: the loan accounts, and the loans in the borrower's record.

The record names a loan by the id of its account (Spec: LoanSummary), or by the account's uid.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import NamedTuple

from django.utils.translation import gettext_noop as _

from lendingadmin.lending import loan_math
from lendingadmin.lending.identity import list_ids
from lendingadmin.lending.values import Loan, LoanSummary, Malformed, number, text
from lendingadmin.money.repayments.estimate import explain_closed
from lendingadmin.people.search.open_loans import OpenLoans, Standing
from lendingadmin.web.display.times import calendar_day, contract_date
from lendingadmin.web.lists import as_id

ONLY_RECORD = _("only in the borrower's record")
OTHER_PAGE = _("in the borrower's record, but not on this page of the list of loans")
UNREAD_ACCOUNTS = _("from the borrower's record")
REPEATED = _("repeated in the borrower's record")


class LoanRow(NamedTuple):
    """One loan: its account, its entry in the borrower's record, or both.

    `origin` is the source of a loan without an account. `differing` names the cells in which the
    record differs from the account.
    """

    account: Loan | Malformed | None = None
    summary: LoanSummary | Malformed | None = None
    origin: str = ""
    differing: frozenset[str] = frozenset()

    @property
    def page_key(self) -> str:
        """The loan's id from the borrower's record, for a link to the loan's page.

        The id is empty if only the record has the loan, if there is no summary, or if the id is
        invalid.
        """
        key = "" if self.origin == ONLY_RECORD or self.summary is None else _id_of(self.summary)
        return as_id(key)

    @property
    def recorded_outstanding(self) -> Decimal | None:
        """Unpaid amount in the record: payable minus paid. None if one of these is missing."""
        if not isinstance(self.summary, LoanSummary):
            return None
        payable, paid = number(self.summary.payable_amount), number(self.summary.paid_amount)
        return None if payable is None or paid is None else payable - paid


def build_rows(
    accounts: Sequence[Loan | Malformed],
    summaries: Sequence[LoanSummary | Malformed],
    *,
    origin: str,
    zone: tzinfo,
) -> list[LoanRow]:
    """Return the rows: the accounts in their order, then the loans that only the record has.

    Loans that only the record has get this `origin`. If `origin` is empty, they are left out. A
    second summary of the same loan gets REPEATED. Days are compared in `zone`, like on the page.
    """
    left, rows, known = list(summaries), list[LoanRow](), set[str]()
    for account in accounts:
        ids = [] if isinstance(account, Malformed) else list_ids(account)
        known.update(ids)
        summary = next((one for key in ids for one in left if _id_of(one) == key), None)
        if isinstance(account, Malformed) or not isinstance(summary, LoanSummary):
            rows.append(LoanRow(account))
            continue
        left = [one for one in left if one is not summary]
        differing = frozenset(_list_differing(account, summary, zone))
        rows.append(LoanRow(account, summary, differing=differing))
    if not origin:
        return rows
    for one in left:
        key = _id_of(one)
        rows.append(LoanRow(summary=one, origin=REPEATED if key in known else origin))
        known.update([key] if key else [])
    return rows


def add_up(accounts: Sequence[Loan | Malformed], read_at: datetime) -> OpenLoans | None:
    """Add up the open loans among all accounts of a borrower.

    Return None if an account can't be read as a loan, because it may be open.
    """
    if any(isinstance(one, Malformed) for one in accounts):
        return None
    standings = [
        Standing(
            loan_math.total_of(one, "unpaid"),
            loan_math.total_of(one, "overdue"),
            loan_math.days_late_of(one),
        )
        for one in accounts
        if isinstance(one, Loan) and not explain_closed(one)
    ]
    return OpenLoans.add_up(standings, read_at)


def _id_of(summary: LoanSummary | Malformed) -> str | None:
    return None if isinstance(summary, Malformed) else text(summary.loan_id)


def _list_differing(account: Loan, summary: LoanSummary, zone: tzinfo) -> Iterator[str]:
    """Yield the cells in which the record has a value that differs from the account's."""
    coming = loan_math.next_of(account)
    next_due = coming.due_date if coming else None
    pairs: dict[str, list[tuple[object, object]]] = {
        "principal": [(number(account.loan_amount), number(summary.principal_amount))],
        "outstanding": [
            (loan_math.total_of(account, "total"), number(summary.payable_amount)),
            (loan_math.total_of(account, "paid"), number(summary.paid_amount)),
        ],
        "next": [(contract_date(next_due, zone), contract_date(summary.next_payment_date, zone))],
        "started": [
            (contract_date(account.start_date, zone), contract_date(summary.start_date, zone))
        ],
        "ends": [
            (contract_date(account.maturity_date, zone), contract_date(summary.end_date, zone))
        ],
        "completed": [
            (
                calendar_day(account.settlement_date, zone),
                calendar_day(summary.completion_date, zone),
            )
        ],
        "assessment": [(text(account.assessment_id), text(summary.assessment_id))],
    }
    for cell, values in pairs.items():
        if any(recorded not in (None, "", live) for live, recorded in values):
            yield cell
