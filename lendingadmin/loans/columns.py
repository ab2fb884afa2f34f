"""The columns of loans, for the loans list and wherever else loans are listed."""

from lendingadmin.display import reader
from lendingadmin.display.money import figure
from lendingadmin.display.statuses import days_late
from lendingadmin.display.templatetags.statuses import chip, loan_status, performance_status
from lendingadmin.display.templatetags.times import contract_day
from lendingadmin.display.text import shown, spelled
from lendingadmin.lending import figures
from lendingadmin.lending.values import Loan
from lendingadmin.readers import LendingApp
from lendingadmin.web.keys import addresses
from lendingadmin.web.tables import Column, above, dated, digger, id_link, row_id, row_name, row_of

BORROWER = "Borrower"
# What the columns read of a loan, by the wire's names.
KEYS = (
    *("accountId", "uid", "borrowerId", "loanType", "loanAmount", "balances", "schedule"),
    *("status", "performanceStatus", "startDate", "maturityDate", "settlementDate"),
)

_days_late = digger("schedule.days_late")


def columns(app: LendingApp, mark: str = "") -> tuple[Column, ...]:
    """The columns of loans of one app; amounts are money in its currency.

    `mark` tells a loan's page which list it was opened from (`web.beside`).
    """
    locale = reader.locale()
    loan_at, borrower_at = addresses("loan", app.app_id), addresses("borrower", app.app_id)

    def name(loan: Loan) -> str:
        key = figures.key_of(loan)
        if not key:
            head = shown(loan.account_id)
        else:
            head = row_id(loan_at(key) + mark, key, row_name(key) if mark else "")
        return above(head, loan.loan_type and spelled(loan.loan_type))

    def borrower(loan: Loan) -> str:
        key = figures.borrower_of(loan)
        return id_link(borrower_at(key), key) if key else shown(loan.borrower_id)

    def money(heading: str, path: str) -> Column:
        amount = digger(path)
        return Column(heading, lambda loan: figure(amount(loan), app.currency, locale), number=True)

    def dates(loan: Loan) -> str:
        since = dated("since", contract_day(loan.start_date, app.zone))
        return above(contract_day(loan.maturity_date, app.zone), since)

    def status(loan: Loan) -> str:
        late = days_late(_days_late(loan), locale)
        if late is None and not loan.settlement_date:
            late = performance_status(loan.performance_status)
        return row_of(chip(loan_status(loan.status)), chip(late))

    return (
        Column("Loan", name),
        Column(BORROWER, borrower),
        Column("Status", status),
        money(f"Principal ({app.currency})", "loan_amount"),
        money("Outstanding", "balances.repayment.unpaid"),
        money("Overdue", "balances.repayment.overdue"),
        Column("Matures", dates),
    )
