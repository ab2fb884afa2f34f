"""The kinds of record that are found and opened by one id."""

from typing import NamedTuple

from django.urls import reverse


class RecordKind(NamedTuple):
    """One kind: its word, its icon, the route of its page, and who may open it."""

    word: str
    icon: str
    route: str
    permission: str

    def url(self, app_id: str, key: str) -> str:
        """The page of one. Raises ValueError for an empty key."""
        return reverse(self.route, args=[app_id, key])


BORROWER = RecordKind("Borrower", "user", "borrower", "lending.borrowers.get")
LOAN = RecordKind("Loan", "banknotes", "loan", "lending.loans.get")
ASSESSMENT = RecordKind("Assessment", "scale", "assessment", "lending.assessments.get")
REPAYMENT = RecordKind("Repayment", "book-open", "repayment", "lending.loans.get")

KINDS = {kind.route: kind for kind in (BORROWER, LOAN, ASSESSMENT, REPAYMENT)}
