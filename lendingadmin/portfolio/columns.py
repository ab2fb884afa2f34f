"""The columns of the loans behind a figure, as they were in the snapshot."""

from lendingadmin.display import formats
from lendingadmin.display.money import figure
from lendingadmin.display.numbers import MISSING
from lendingadmin.display.statuses import days_late
from lendingadmin.display.templatetags.statuses import chip, loan_status, performance_status
from lendingadmin.display.templatetags.times import day
from lendingadmin.gateway import LendingApp
from lendingadmin.ui.converters import addresses
from lendingadmin.ui.tables import Column, row_id, row_name, side_by_side

from .models import SnapshotLoan

_HEADINGS = {
    "principal": "Principal",
    "principal_outstanding": "Outstanding principal",
    "paid_since_last": "Paid since the count before",
    "outstanding": "Outstanding",
    "overdue": "Overdue",
}


def columns(app: LendingApp, amount: str, mark: str = "") -> tuple[Column, ...]:
    """The columns of a list whose figure adds up `amount`; that one comes first of the amounts.

    `mark` tells a loan's page which list it was opened from (`ui.neighbours`).
    """
    loan_at, locale = addresses("loan", app.app_id), formats.locale()

    def name(row: SnapshotLoan) -> str:
        key = row.account_id
        return row_id(loan_at(key) + mark, key, row_name(key) if mark else "")

    def status(row: SnapshotLoan) -> str:
        late = days_late(row.days_late, locale)
        return side_by_side(
            chip(loan_status(row.status)), chip(late or performance_status(row.performance))
        )

    def started(row: SnapshotLoan) -> str:
        return day(row.start_day) if row.start_day else MISSING

    def money(field: str, currency: str = "") -> Column:
        heading = f"{_HEADINGS[field]} ({app.currency})" if currency else _HEADINGS[field]
        return Column(
            heading,
            lambda row: figure(getattr(row, field), app.currency, locale),
            number=True,
        )

    others = [field for field in ("outstanding", "overdue") if field != amount]
    return (
        Column("Loan", name),
        Column("Status", status),
        Column("Began", started),
        money(amount, app.currency),
        *(money(field) for field in others),
    )
