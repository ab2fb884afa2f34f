"""The kinds of record that can be found and opened by an id."""

from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext_noop


class RecordKind(NamedTuple):
    """One kind of record: its name, its icon, and the route and permission of its page."""

    word: str
    icon: str
    route: str
    permission: str

    def url(self, app_id: str, key: str) -> str:
        """Return the address of a record's page. Raises ValueError for an empty key."""
        return reverse(self.route, args=[app_id, key])


BORROWER = RecordKind(gettext_noop("Borrower"), "user", "borrower", "lending.borrowers.get")
LOAN = RecordKind(gettext_noop("Loan"), "banknotes", "loan", "lending.loans.get")
ASSESSMENT = RecordKind(
    gettext_noop("Assessment"), "scale", "assessment", "lending.assessments.get"
)
REPAYMENT = RecordKind(gettext_noop("Repayment"), "book-open", "repayment", "lending.loans.get")

KINDS = {kind.route: kind for kind in (BORROWER, LOAN, ASSESSMENT, REPAYMENT)}
