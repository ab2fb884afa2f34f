"""The columns of the borrowers list."""

from lendingadmin.display.templatetags.money import count
from lendingadmin.display.templatetags.statuses import borrower_status, chip
from lendingadmin.display.templatetags.times import day
from lendingadmin.display.text import borrower_name, shown, spelled
from lendingadmin.gateway import LendingApp
from lendingadmin.lending.values import Borrower, Malformed, text
from lendingadmin.ui.converters import addresses
from lendingadmin.ui.tables import Column, make_getter, row_link, row_name

_country = make_getter("individual.country_of_residence")


def columns(app: LendingApp, mark: str = "") -> tuple[Column, ...]:
    """The columns of borrowers of one app; `mark` is their list's place (`ui.neighbours`)."""
    borrower_at = addresses("borrower", app.app_id)

    def name(borrower: Borrower) -> str:
        key = text(borrower.borrower_id)
        named = borrower_name(borrower)
        if not key:
            return named
        return row_link(borrower_at(key) + mark, named, row_name(key) if mark else "")

    return (
        Column("Borrower", name),
        Column("Id", lambda borrower: shown(borrower.borrower_id)),
        Column("Category", lambda borrower: spelled(borrower.category)),
        Column("Status", lambda borrower: chip(borrower_status(borrower.status))),
        Column("Country", lambda borrower: shown(_country(borrower))),
        Column("Loans", _loans, number=True),
        Column("Since", lambda borrower: day(borrower.start_date, app.zone)),
    )


def _loans(borrower: Borrower) -> str:
    loans = borrower.loans
    return shown(loans) if isinstance(loans, Malformed) else count(len(loans or ()))
