"""Values that an app's borrowers already have, for fields without a list of values in the spec."""

from collections import Counter

from lendingadmin.core import gateway
from lendingadmin.core.caching import shared
from lendingadmin.lending.errors import BadRequest, LendingError
from lendingadmin.lending.values import Borrower, Individual, each

from .fields import list_fields

Used = dict[str, list[str]]

_READ = 200
_OFFERED = 12
# A value must have this many borrowers. A rarer value could identify a borrower, or be a typing
# error.
_BEARERS = 2
_LONGEST = 60
_KEPT_SECONDS = 600


def read_used(app_id: str) -> Used:
    """Return the values that several borrowers of one page share, by field.

    The page is the first page of the list of borrowers. The most frequent values come first. Such
    values identify no person, so they are cached without encryption for ten minutes. If the list
    can't be read, the result is empty and the form suggests nothing.
    """
    key = f"borrowers-used:{app_id}"
    found: Used | None = shared.get(key)
    if found is None:
        borrowers = gateway.app(app_id).borrowers.only(["individual"])
        try:
            try:
                page = borrowers.list(page_size=_READ)
            except BadRequest:  # The service may refuse the page size.
                page = borrowers.list()
        except LendingError:
            return {}
        found = count_used(list(each(page.items)))
        shared.set(key, found, _KEPT_SECONDS)
    return found


def count_used(borrowers: list[Borrower]) -> Used:
    """Return the values that several of these borrowers share, by field."""
    people = [one.individual.raw for one in borrowers if isinstance(one.individual, Individual)]
    used: Used = {}
    for name in (field.name for field in list_fields("individual") if field.is_suggested):
        values = [person.get(name) for person in people]
        texts = Counter(one.strip() for one in values if isinstance(one, str) and one.isprintable())
        used[name] = [
            text
            for text, bearers in texts.most_common(_OFFERED)
            if bearers >= _BEARERS and 0 < len(text) <= _LONGEST
        ]
    return used
