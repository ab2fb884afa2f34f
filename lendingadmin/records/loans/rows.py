"""Rows of the list of loans, ready to print. The template only places the values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEE_NAMES
from lendingadmin.lending.values import Loan, Malformed
from lendingadmin.people.index.names import PersonName, to_borrower_id, write_name
from lendingadmin.web.display import formats, money
from lendingadmin.web.display.templatetags.statuses import chip, loan_standing
from lendingadmin.web.display.templatetags.text import breakable
from lendingadmin.web.display.templatetags.times import contract_day
from lendingadmin.web.display.text import shown, spelled
from lendingadmin.web.templatetags.lists import borrower_link, row_link

#: Keys of a loan that the rows need, by the service's names.
LIST_KEYS = (
    *("accountId", "uid", "borrowerId", "loanType", "loanAmount", "balances", "schedule"),
    *("status", "performanceStatus", "startDate", "maturityDate", "settlementDate"),
)


@dataclass(frozen=True, slots=True)
class ListedLoan:
    """One row. `odd` is a value that the service sent in place of a loan; empty for a loan."""

    odd: object = ""
    link: object = ""
    kind: object = ""
    name: object = ""
    borrower: object = ""
    status: object = ""
    principal: object = ""
    outstanding: object = ""
    overdue: object = ""
    matures: object = ""


def build_rows(
    loans: Sequence[Loan | Malformed],
    app: LendingApp,
    person: User,
    names: Mapping[str, PersonName],
) -> list[ListedLoan]:
    """Return a row for each loan of an app, with the names that this person may see."""
    may_see, locale = person.has_perm(SEE_NAMES, app.app_id), formats.locale()
    figure = partial(money.figure, currency=app.currency, locale=locale)
    rows = []
    for loan in loans:
        if isinstance(loan, Malformed):
            rows.append(ListedLoan(odd=breakable(shown(loan))))
            continue
        owed = getattr(loan.balances, "repayment", None)
        rows.append(
            ListedLoan(
                link=row_link("loan", app, loan),
                kind=breakable(spelled(loan.loan_type)) if loan.loan_type else "",
                name=write_name(names.get(to_borrower_id(loan.borrower_id)), may_see),
                borrower=borrower_link(app, loan.borrower_id),
                status=chip(loan_standing(loan)),
                principal=breakable(figure(loan.loan_amount)),
                outstanding=breakable(figure(getattr(owed, "unpaid", None))),
                overdue=breakable(figure(getattr(owed, "overdue", None))),
                matures=breakable(contract_day(loan.maturity_date, app.zone)),
            )
        )
    return rows
