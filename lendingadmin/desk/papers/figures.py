"""The figures of a loan for a paper: checked balances, saved readings, recorded repayments.

A paper shows only figures that were read. If the figures of a loan can't be read or do not add up,
no paper is made and the page shows the reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.collections.barriers import SENTENCES
from lendingadmin.desk.portfolio.amounts import exactly
from lendingadmin.desk.portfolio.models import SnapshotLoan
from lendingadmin.desk.portfolio.snapshot_job import list_complete
from lendingadmin.lending.values import (
    Balance,
    LendingContract,
    Loan,
    LoanBalances,
    moment,
    number,
)
from lendingadmin.money.repayments import mistakes
from lendingadmin.money.repayments.managers import RECORDED
from lendingadmin.money.repayments.models import Reading, Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.web.display import formats, times
from lendingadmin.web.display.statuses import says_open
from lendingadmin.web.display.times import contract_date
from lendingadmin.web.policies import LOAN, read_words

from . import statement
from .statement import LineKind, Statement

_PARTS = {
    "principal": LineKind.PRINCIPAL,
    "interest": LineKind.INTEREST,
    "fees": LineKind.FEES,
    "penalty": LineKind.PENALTY,
}
_ZERO = Decimal(0)

#: The reasons why no paper can be made, by code.
REASONS = {
    "unreadable": _("The service did not send all balances of loan %(account)s."),
    "no-start": _("The service did not send the start date of loan %(account)s."),
    "unbalanced": _("The balances of loan %(account)s do not add up at the service."),
    "currencies": _(
        "Loan %(account)s has repayments in another currency. We don't know how the service "
        "converts these repayments."
    ),
    "no-reading": _("No balances of loan %(account)s were read in this period."),
    "no-loans": _("This borrower has no loan at the service."),
    "too-many": _("This borrower has too many loans. Choose one loan."),
    "not-settled": _("The service does not show loan %(account)s as settled."),
    "owed": _("Loan %(account)s is not fully paid."),
    "needs-checking": _("A repayment of loan %(account)s needs checking or a decision first."),
    "unnamed": _("The name of the borrower is not known."),
    "no-contract": _("The service made no contract for this amount and day."),
    "several-contracts": _("The service made several contracts for this product."),
    "contract-unreadable": _("The service did not send all figures of this contract."),
    "contract-unbalanced": _("The figures of this contract do not add up at the service."),
    "contract-changes": _("This contract changes an amount in an unknown way."),
    "contract-currency": _("This contract is in another currency."),
    "not-refused": _("The service did not refuse a loan to this borrower."),
    "not-finished": _("The service has not answered yet."),
    "no-result": _("The service had errors and sent no result."),
    "no-reason": _("The service gave no reason, or the reason can't be read."),
    "no-contact": _("The settings have no phone number or office for questions."),
    "not-overdue": _("Nothing is overdue."),
    "once": _("This borrower already has a paper of this kind from this day."),
    "refused": _("The service did not show the loans or the name of this borrower."),
    **SENTENCES,
}


class Unfit(Exception):
    """Error: no paper can be made. `code` is a key of REASONS; the reason may end at `until`."""

    def __init__(
        self,
        code: str,
        account_id: str = "",
        *,
        until: datetime | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        super().__init__(code)
        self.code, self.account_id, self.until = code, account_id, until
        self.words = describe_reason(code, account_id, until, zone)


def describe_reason(code: str, account_id: str, until: datetime | None, zone: tzinfo | None) -> str:
    """Return the sentence of a reason, with its time in the zone."""
    ends = times.moment(until, zone, formats.locale()) if until else ""
    return str(REASONS[code]) % {"account": account_id, "moment": ends}


@dataclass(frozen=True)
class Figures:
    """The checked balances of a loan, read at `read_at`.

    `parts` are the parts of the total; empty if the service does not give all of them. `paid_out`
    is the amount that the borrower received; None if it is not known.
    """

    account_id: str
    began_at: datetime
    total: Decimal
    paid: Decimal
    unpaid: Decimal
    parts: tuple[tuple[LineKind, Decimal], ...]
    paid_out: Decimal | None
    settled_at: datetime | None
    read_at: datetime


@dataclass(frozen=True)
class Account:
    """A loan with its statement, its repayments by number, and those that need checking."""

    figures: Figures
    statement: Statement
    repayments: dict[int, Repayment]
    unsettled: tuple[Repayment, ...]


def read_figures(loan: Loan, account_id: str, read_at: datetime) -> Figures:
    """Return the figures of a loan. Raise Unfit if they can't be read or do not add up."""
    whole = loan.balances.repayment if isinstance(loan.balances, LoanBalances) else None
    if not isinstance(whole, Balance):
        raise Unfit("unreadable", account_id)
    total, paid, unpaid = (number(one) for one in (whole.total, whole.paid, whole.unpaid))
    if total is None or paid is None or unpaid is None:
        raise Unfit("unreadable", account_id)
    began_at = moment(loan.start_date)
    if began_at is None:
        raise Unfit("no-start", account_id)
    parts = _read_parts(loan)
    with exactly():
        adds_up = total - paid == unpaid and min(total, paid, unpaid) >= 0
        whole_parts = sum((amount for _kind, amount in parts), _ZERO)
    if not adds_up or (parts and whole_parts != total):
        raise Unfit("unbalanced", account_id)
    amounts = loan.contract.amounts if isinstance(loan.contract, LendingContract) else None
    return Figures(
        account_id,
        began_at,
        total,
        paid,
        unpaid,
        parts,
        number(getattr(amounts, "disbursement", None)),
        moment(loan.settlement_date),
        read_at,
    )


def _read_parts(loan: Loan) -> tuple[tuple[LineKind, Decimal], ...]:
    """Return the parts of the charged amount; empty if one part can't be read."""
    groups = [getattr(loan.balances, name) for name in _PARTS]
    amounts = [number(one.total) if isinstance(one, Balance) else None for one in groups]
    known = [amount for amount in amounts if amount is not None]
    return tuple(zip(_PARTS.values(), known, strict=True)) if len(known) == len(_PARTS) else ()


def check_discharged(loan: Loan, figures: Figures, app: LendingApp) -> None:
    """Raise Unfit unless the loan is settled, nothing is owed, and nothing needs checking."""
    account_id = figures.account_id
    if figures.settled_at is None or says_open(loan.status, read_words(LOAN)):
        raise Unfit("not-settled", account_id)
    groups = [getattr(loan.balances, name) for name in (*_PARTS, "repayment")]
    left = [number(one.unpaid) for one in groups if isinstance(one, Balance)]
    if figures.unpaid or any(left):
        raise Unfit("owed", account_id)
    here = Repayment.objects.of_loan(app.app_id, account_id)
    is_waiting = here.filter(state=RepaymentState.AWAITING).exists()
    has_alarm = here.filter(alarm_at__isnull=False, alarm_seen_at=None).exists()
    is_doubtful = here.filter(needs_checking=True).exists()
    has_report = mistakes.list_open(app.app_id, account_id).exists()
    if is_waiting or has_alarm or is_doubtful or has_report:
        raise Unfit("needs-checking", account_id)


def build_account(
    figures: Figures, app: LendingApp, first_day: date | None, last_day: date | None
) -> Account:
    """Return the loan's statement over a period, whose days are in the lender's zone.

    Raise Unfit if there is no such statement.
    """
    rows = Repayment.objects.of_loan(app.app_id, figures.account_id)
    found = {one.pk: one for one in rows.filter(RECORDED).order_by("pk")}
    if any(one.moves_paid_by is None for one in found.values()):
        raise Unfit("currencies", figures.account_id)
    recorded = [
        statement.Recorded(
            key,
            one.sent_at or one.created_at,
            one.exact_amount,
            is_late=one.state == RepaymentState.RESOLVED,
        )
        for key, one in found.items()
    ]
    at = figures.read_at
    present = statement.Balance(at, at, figures.paid, figures.total)
    readings = list(_list_readings(app.app_id, figures.account_id))
    since, until = _find_bounds(first_day, last_day, app.zone)
    # A contract begins with a UTC day, and the lender's day may begin earlier.
    began_on = contract_date(figures.began_at, app.zone)
    if first_day and began_on and first_day <= began_on:
        since = None
    try:
        made = statement.build_statement(
            figures.began_at, readings, present, figures.parts, recorded, since, until
        )
    except statement.NoReading:
        raise Unfit("no-reading", figures.account_id) from None
    doubtful = rows.filter(needs_checking=True).exclude(state=RepaymentState.PRESUMED)
    return Account(figures, made, found, tuple(doubtful.order_by("pk")))


def _find_bounds(
    first_day: date | None, last_day: date | None, zone: tzinfo
) -> tuple[datetime | None, datetime | None]:
    """Return the start of the first day and the end of the last day; None for a missing day."""
    since = datetime.combine(first_day, time.min, zone) if first_day else None
    until = datetime.combine(last_day + timedelta(days=1), time.min, zone) if last_day else None
    return since, until


def _list_readings(app_id: str, account_id: str) -> Iterator[statement.Balance]:
    """Yield the balances of a loan that were saved with repayments and by portfolio updates."""
    saved = Reading.objects.filter(
        repayment__app_id=app_id, repayment__account_id=account_id, fault=""
    )
    for one in saved.exclude(paid=""):
        paid = one.paid_amount
        if paid is not None:
            yield _make_balance(one.taken_at, one.taken_at, paid, one.unpaid_amount)
    updates = list(list_complete(app_id).filter(has_loans=True).values_list("pk", flat=True))
    rows = SnapshotLoan.objects.filter(snapshot__in=updates, account_id=account_id)
    for row in rows.select_related("snapshot"):
        ended_at = row.snapshot.ended_at
        if row.paid is not None and ended_at is not None:
            yield _make_balance(row.snapshot.began_at, ended_at, row.paid, row.outstanding)


def _make_balance(
    since: datetime, until: datetime, paid: Decimal, unpaid: Decimal | None
) -> statement.Balance:
    with exactly():
        return statement.Balance(since, until, paid, None if unpaid is None else paid + unpaid)
