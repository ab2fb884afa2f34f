"""Ids and names of records (Spec: Conventions).

This service refuses `/` and similar characters in an id, as its README.md says.
"""

from lendingadmin.sandbox.access import NEEDS
from lendingadmin.sandbox.rules.invalid import Invalid

PROJECT = "demo"
LONGEST = 200
_STANDARD_METHODS = frozenset({"list", "create", "get", "patch", "delete"})
CUSTOM_METHODS = tuple(
    f":{method}"
    for method in (operation.partition(".")[2] for operation in NEEDS)
    if method not in _STANDARD_METHODS
)
_BORROWER = "borrower:"


def read_id(value: str, field: str) -> str:
    """Return an id that can be used in a path; else raise Invalid.

    These are refused: an empty id, more than 200 characters, `.` and `..` (paths remove them), `/`,
    a space at the beginning or end, control characters, and the name of a custom operation at the
    end.
    """
    if not value or len(value) > LONGEST:
        raise Invalid(field, f"must have 1 to {LONGEST} characters")
    if value in (".", "..") or "/" in value:
        raise Invalid(field, "must not be . or .. and must not hold a /")
    if value != value.strip() or any(letter < " " or letter == "\x7f" for letter in value):
        raise Invalid(field, "must not hold control characters, nor begin or end with a space")
    if value.endswith(CUSTOM_METHODS):
        raise Invalid(field, "must not end in the name of a custom operation")
    return value


def write_name(app_id: str, collection: str, resource_id: str) -> str:
    """Return the full name of a resource of an app."""
    return f"projects/{PROJECT}/apps/{app_id}/{collection}/{resource_id}"


def read_account_id(value: object, field: str) -> str:
    """Return the borrower id in an account id, such as `b-1` in `borrower:b-1`.

    Raise Invalid for a value in another form.
    """
    borrower_id = value.removeprefix(_BORROWER) if isinstance(value, str) else value
    if not isinstance(borrower_id, str) or borrower_id in ("", value):
        raise Invalid(field, "must be of the form borrower:<borrowerId>")
    return borrower_id


def write_account_id(borrower_id: str) -> str:
    """Return the account id of a borrower, `<ACCOUNT_TYPE>:<ACCOUNT_ID>`."""
    return _BORROWER + borrower_id
