"""Account ids of app users: `<ACCOUNT_TYPE>:<ACCOUNT_ID>` (Spec: Conventions)."""

from typing import NamedTuple

from lendingadmin.sandbox.rules.invalid import Invalid

BORROWER = "borrower"


class AccountId(NamedTuple):
    """An account id taken apart."""

    kind: str
    key: str


def read_account_id(value: object, field: str) -> AccountId:
    """Take an account id apart at its first colon; raises Invalid unless a borrower's."""
    kind, colon, key = value.partition(":") if isinstance(value, str) else ("", "", "")
    if kind != BORROWER or not colon or not key:
        raise Invalid(field, f"must be of the form {BORROWER}:<borrowerId>")
    return AccountId(kind, key)


def borrower_account(borrower_id: str) -> str:
    """The account id of a borrower."""
    return f"{BORROWER}:{borrower_id}"
