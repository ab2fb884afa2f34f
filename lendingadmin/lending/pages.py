"""Lists: what may be asked of them, and one page of what came (Spec: Shared list behaviour)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Generic, Literal, TypeVar

from lendingadmin.lending.errors import InvalidFilter
from lendingadmin.lending.operations import Operation
from lendingadmin.lending.values import Odd

MAXIMUM_PAGE_SIZE = 1000

Order = Literal["asc", "desc"]
Item = TypeVar("Item", covariant=True)
Listed = TypeVar("Listed")


@dataclass(frozen=True, repr=False)
class Page(Generic[Item]):
    """One page of a list, and when it was read (aware, UTC).

    An item that is no object is an Odd. `next_page_token` is None on the last page. The service may
    send more or fewer items than were asked for.
    """

    items: tuple[Item | Odd, ...]
    next_page_token: str | None
    read_at: datetime

    def __repr__(self) -> str:
        return f"<Page of {len(self.items)}>"


def filter_text(operation: Operation, filters: Mapping[str, str]) -> str:
    """The `filter` parameter: clauses `FIELD:VALUE` separated by spaces.

    Only the first colon of a clause separates, so a value may contain colons. Raises InvalidFilter,
    with a sentence, for a value that no clause can carry, and ValueError for a field that the spec
    does not list.
    """
    return " ".join(_clause(operation, field, value) for field, value in filters.items())


def _clause(operation: Operation, field: str, value: str) -> str:
    if operation.filters is not None and field not in operation.filters:
        raise ValueError(f"{operation.collection} cannot be filtered by {field}.")
    if not (field.isascii() and field.isidentifier()):
        raise ValueError("The name of a filter has letters and digits only.")
    if not value:
        raise InvalidFilter(f"The filter {field} has no value.", operation=operation.name)
    if any(character.isspace() or not character.isprintable() for character in value):
        words = f"The filter {field} cannot contain spaces or control characters."
        raise InvalidFilter(words, operation=operation.name)
    return f"{field}:{value}"


def list_query(
    operation: Operation,
    *,
    filters: Mapping[str, str] | None = None,
    order: Order | None = None,
    page_size: int | None = None,
    page_token: str | None = None,
) -> dict[str, str]:
    """The query of a list request, not yet encoded. Raises ValueError for what cannot be asked."""
    query: dict[str, str] = {}
    if filters:
        query["filter"] = filter_text(operation, filters)
    if order is not None:
        if order not in ("asc", "desc"):
            raise ValueError("The order is asc or desc.")
        query["order"] = order
    if page_size is not None:
        if not 1 <= page_size <= MAXIMUM_PAGE_SIZE:
            raise ValueError(f"A page has 1 to {MAXIMUM_PAGE_SIZE} items.")
        query["pageSize"] = str(page_size)
    if page_token is not None:
        query["pageToken"] = page_token
    return query


def page_token(raw: object) -> str | None:
    """The token of the next page, or None where there is none. Raises ValueError for an odd one.

    A number is taken as its text. To take anything else for the end would hide the rest of a list.
    """
    if isinstance(raw, int | Decimal) and not isinstance(raw, bool):
        return str(raw)
    if not raw:
        return None
    if isinstance(raw, str) and not any("\ud800" <= character <= "\udfff" for character in raw):
        return raw
    raise ValueError("the token of the next page is no text that can be sent back")


def each_page(
    fetch: Callable[[str | None], Page[Listed]], start: str | None = None
) -> Iterator[Page[Listed]]:
    """Pages as they are asked for, until the last, or until a token comes a second time.

    `start` is the token of the page to begin with, None for the first. Whoever must know that the
    list led back to where it was finds that the last page that came still has a token.
    """
    seen = {start} if start else set()
    token = start
    while True:
        page = fetch(token)
        yield page
        token = page.next_page_token
        if token is None or token in seen:
            return
        seen.add(token)
