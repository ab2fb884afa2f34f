"""The columns of loans, for the loans list and wherever else loans are listed."""

from lendingadmin.display import formats
from lendingadmin.display.money import figure
from lendingadmin.display.statuses import days_late
from lendingadmin.display.templatetags.statuses import chip, loan_status, performance_status
from lendingadmin.display.templatetags.times import contract_day
from lendingadmin.display.text import shown, spelled
from lendingadmin.gateway import LendingApp
from lendingadmin.lending import loan_math
from lendingadmin.lending.values import Loan
from lendingadmin.ui.converters import addresses
from lendingadmin.ui.tables import (
    Column,
    id_link,
    labelled_day,
    make_getter,
    row_id,
    row_name,
    side_by_side,
    two_lines,
)

BORROWER = "Borrower"
# What the columns read of a loan, by the wire's names.
KEYS = (
    *("accountId", "uid", "borrowerId", "loanType", "loanAmount", "balances", "schedule"),
    *("status", "performanceStatus", "startDate", "maturityDate", "settlementDate"),
)

_days_late = make_getter("schedule.days_late")


def columns(app: LendingApp, mark: str = "") -> tuple[Column, ...]:
    """The columns of loans of one app; amounts are money in its currency.

    `mark` tells a loan's page which list it was opened from (`ui.neighbours`).
    """
    locale = formats.locale()
    loan_at, borrower_at = addresses("loan", app.app_id), addresses("borrower", app.app_id)

    def name(loan: Loan) -> str:
        key = loan_math.key_of(loan)
        if not key:
            head = shown(loan.account_id)
        else:
            head = row_id(loan_at(key) + mark, key, row_name(key) if mark else "")
        return two_lines(head, loan.loan_type and spelled(loan.loan_type))

    def borrower(loan: Loan) -> str:
        key = loan_math.borrower_of(loan)
        return id_link(borrower_at(key), key) if key else shown(loan.borrower_id)

    def money(heading: str, path: str) -> Column:
        amount = make_getter(path)
        return Column(heading, lambda loan: figure(amount(loan), app.currency, locale), number=True)

    def dates(loan: Loan) -> str:
        since = labelled_day("since", contract_day(loan.start_date, app.zone))
        return two_lines(contract_day(loan.maturity_date, app.zone), since)

    def status(loan: Loan) -> str:
        late = days_late(_days_late(loan), locale)
        if late is None and not loan.settlement_date:
            late = performance_status(loan.performance_status)
        return side_by_side(chip(loan_status(loan.status)), chip(late))

    return (
        Column("Loan", name),
        Column(BORROWER, borrower),
        Column("Status", status),
        money(f"Principal ({app.currency})", "loan_amount"),
        money("Outstanding", "balances.repayment.unpaid"),
        money("Overdue", "balances.repayment.overdue"),
        Column("Matures", dates),
    )
