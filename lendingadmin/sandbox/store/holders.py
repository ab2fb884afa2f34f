"""Whose data it is: the borrower that an account id names (Spec: Conventions)."""

from lendingadmin.sandbox.models import Borrower
from lendingadmin.sandbox.rules.account_ids import read_account_id
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.store import borrowers

FIELD = "accountId"


def find(app_id: str, account_id: str) -> Borrower:
    """The borrower of an account id; raises Invalid where there is none."""
    borrower = borrowers.find(app_id, read_account_id(account_id, FIELD).key)
    if borrower is None:
        raise Invalid(FIELD, f"account {account_id} does not exist")
    return borrower
