"""Functions that write ids into addresses, and refuse bad ids before a call is sent.

HTTP libraries replace `/borrowers/..` by its parent, even if the id is written as `%2E%2E`. A
DELETE could then delete another record. So such ids are refused.
"""

import re
from urllib.parse import quote

from lendingadmin.lending.errors import InvalidId

_FOLDED = frozenset({".", ".."})
# Unicode categories Cc and Cs: control characters and lone surrogates.
_REFUSED = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def check_id(value: str) -> str:
    """Return the id unchanged. Raise InvalidId for an id that is refused.

    These are refused: the empty id, `.`, `..`, control characters, lone surrogates, and a value
    that is not text.
    """
    if not isinstance(value, str) or not value:
        raise InvalidId("An id is missing.")
    if value in _FOLDED:
        raise InvalidId(f"“{value}” cannot be an id, because it has another meaning in addresses.")
    if _REFUSED.search(value):
        raise InvalidId("The id contains characters that no id can have.")
    return value


def encode_id(value: str) -> str:
    """Percent-encode all unsafe characters of an id for a path (UTF-8). May raise InvalidId."""
    return quote(check_id(value), safe="")


def resource_id(account_id: object, account_type: str = "borrower") -> str | None:
    """Return the id in the account id of an app user: `a:b` for `borrower:a:b`.

    Return None for another type of account. The first colon separates type and id (Spec:
    Conventions).
    """
    if not isinstance(account_id, str):
        return None
    kind, colon, rest = account_id.partition(":")
    return rest if colon and kind == account_type and rest else None


def account_id(resource: str, account_type: str = "borrower") -> str:
    """Return the account id of an app user, `borrower:<borrowerId>`. May raise InvalidId.

    Spec: Conventions.
    """
    return f"{account_type}:{check_id(resource)}"
