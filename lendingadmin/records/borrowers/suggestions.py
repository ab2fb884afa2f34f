"""What the book uses already, for fields whose values the spec does not show."""

from collections import Counter

from lendingadmin.core import gateway
from lendingadmin.core.caching import shared
from lendingadmin.lending.client import AppClient
from lendingadmin.lending.errors import BadRequest, LendingError
from lendingadmin.lending.pages import Page
from lendingadmin.lending.values import Borrower, Individual, each

from .fields import list_fields

Used = dict[str, list[str]]

_READ = 200
_OFFERED = 12
# What only one borrower has may say who that is, and may be a slip of the pen.
_BEARERS = 2
_LONGEST = 60
_KEPT_SECONDS = 600


def read_used(app_id: str) -> Used:
    """The values of each such field that several borrowers of one page of the list have.

    The most frequent come first. They name nobody, so they are kept for ten minutes as they are.
    Empty where the list can't be read: the fields take any text without it.
    """
    key = f"borrowers-used:{app_id}"
    found: Used | None = shared.get(key)
    if found is None:
        try:
            found = count_used([one for one in each(_read_some(gateway.app(app_id)).items)])
        except LendingError:
            return {}
        shared.set(key, found, _KEPT_SECONDS)
    return found


def _read_some(app: AppClient) -> Page[Borrower]:
    """A page of borrowers; asked for without a size where the service refuses one."""
    borrowers = app.borrowers.only(["individual"])
    try:
        return borrowers.list(page_size=_READ)
    except BadRequest:
        return borrowers.list()


def count_used(borrowers: list[Borrower]) -> Used:
    """The values that several of these have, by field."""
    people = [one.individual.raw for one in borrowers if isinstance(one.individual, Individual)]
    names = [field.name for field in list_fields("individual") if field.is_suggested]
    return {name: _list_frequent([person.get(name) for person in people]) for name in names}


def _list_frequent(values: list[object]) -> list[str]:
    texts = Counter(
        value.strip() for value in values if isinstance(value, str) and value.isprintable()
    )
    return [
        value
        for value, bearers in texts.most_common(_OFFERED)
        if bearers >= _BEARERS and 0 < len(value) <= _LONGEST
    ]
