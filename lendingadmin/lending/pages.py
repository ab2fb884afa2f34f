"""Lists of the service: parameters, pages, and functions that read all pages of a list.

Spec: Shared list behaviour.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Generic, Literal, NamedTuple, Self, TypedDict, TypeVar, Unpack

from lendingadmin.lending.codec import decode, make_decoder
from lendingadmin.lending.errors import (
    AnswerTooLarge,
    InvalidFilter,
    LendingError,
    UnfinishedList,
    Unreadable,
    gettext_noop,
)
from lendingadmin.lending.operations import OPERATIONS, Operation
from lendingadmin.lending.resource import Resource, make_error, read_items
from lendingadmin.lending.wire import Answer, Deadline

from .values import Malformed, Value, text

MAXIMUM_PAGE_SIZE = 1000
# A page without items is not the end of the list if it has a next page. While a person waits, at
# most this number of further pages is read, and each read must begin within these seconds.
MORE_PAGES = 5
READ_ON_SECONDS = 10.0
# A walk stops after this number of successive pages without items.
EMPTY_PAGES = 100

_TOO_FAR = gettext_noop(
    "The lending service's answer is too large to read at once. Choose fewer rows on a page."
)
LED_BACK = gettext_noop("The service sent the same page again, so later pages can't be read.")
ENDLESS = gettext_noop(
    "The service sends only empty pages now, so the end of its list can't be read."
)

Item = TypeVar("Item", covariant=True)
Listed = TypeVar("Listed")
Read = TypeVar("Read", bound=Value)


@dataclass(frozen=True, repr=False)
class Page(Generic[Item]):
    """A page of a list, and the time when the page was read (aware, UTC).

    An item that is not an object is a Malformed. `next_page_token` is None on the last page. The
    service may send more or fewer items than requested. `repeated` is the number of items that a
    walk left out because an earlier page had them. `page_size` is the requested size; None if no
    size was requested. After an answer that was too large, it is the smaller size of the next
    request (`PageReader`).
    """

    items: tuple[Item | Malformed, ...]
    next_page_token: str | None
    read_at: datetime
    repeated: int = 0
    page_size: int | None = None

    def __repr__(self) -> str:
        return f"<Page of {len(self.items)}>"


def write_filter(operation: Operation, filters: Mapping[str, str]) -> str:
    """Return the `filter` parameter: clauses `FIELD:VALUE` separated by spaces.

    The first colon of a clause separates field and value, so a value may contain colons. Raise
    InvalidFilter with a sentence for a value that no clause can contain. Raise ValueError for a
    field that the spec does not list.
    """
    for field, value in filters.items():
        if operation.filters is not None and field not in operation.filters:
            raise ValueError(f"{operation.collection} cannot be filtered by {field}.")
        if not (field.isascii() and field.isidentifier()):
            raise ValueError("The name of a filter has letters and digits only.")
        if not value:
            raise InvalidFilter(f"The filter {field} has no value.", operation=operation.name)
        if any(character.isspace() or not character.isprintable() for character in value):
            words = f"The filter {field} cannot contain spaces or control characters."
            raise InvalidFilter(words, operation=operation.name)
    return " ".join(f"{field}:{value}" for field, value in filters.items())


class ListQuery(TypedDict, total=False):
    """Parameters of a list: filters by field, an order by creation time, and the page.

    `page_size` is 1 to 1000; `page_token` is the token of the first page to read.
    """

    filters: Mapping[str, str] | None
    order: Literal["asc", "desc"] | None
    page_size: int | None
    page_token: str | None


def build_query(operation: Operation, **asked: Unpack[ListQuery]) -> dict[str, str]:
    """Return the query parameters of a request for a list.

    Raise ValueError for parameters that the list does not allow.
    """
    query: dict[str, str] = {}
    if filters := asked.get("filters"):
        query["filter"] = write_filter(operation, filters)
    if (order := asked.get("order")) is not None:
        if order not in ("asc", "desc") or "order" not in (operation.list_parameters or ()):
            raise ValueError("The order must be asc or desc, and the list must allow an order.")
        query["order"] = order
    if (page_size := asked.get("page_size")) is not None:
        if not 1 <= page_size <= MAXIMUM_PAGE_SIZE:
            raise ValueError(f"The page size must be 1 to {MAXIMUM_PAGE_SIZE} items.")
        query["pageSize"] = str(page_size)
    if (page_token := asked.get("page_token")) is not None:
        query["pageToken"] = page_token
    return query


def read_page_token(raw: object) -> str | None:
    """Return the token of the next page; None if there is none.

    A number is read as text. Raise ValueError for any other value. It must not count as the end of
    the list, because later items would then be hidden.
    """
    if isinstance(raw, int | Decimal) and not isinstance(raw, bool):
        return str(raw)
    if not raw:
        return None
    if isinstance(raw, str) and not any("\ud800" <= character <= "\udfff" for character in raw):
        return raw
    raise ValueError("the token of the next page is no text that can be sent back")


def refuses_token(error: LendingError) -> bool:
    """Return True if the error means that the page token is no longer accepted (Spec: Errors)."""
    return "page token" in (error.error_description or "").lower()


class ListResource(Resource, Generic[Read]):
    """A resource with an operation that lists its items.

    A filter or order is allowed if the spec shows it for the operation. If the spec shows no
    filters, any filter may be tried. Every method takes a ListQuery. It may raise LendingError, or
    ValueError with a sentence for parameters that the list does not allow.
    """

    list_operation: str
    item: type[Read]
    # True if a page of the usual size may be too large to read.
    may_be_large = False
    _only: tuple[str, ...] = ()

    def only(self, keys: Iterable[str]) -> Self:
        """Return a faster copy of this list. The copy reads only these JSON keys of items."""
        narrow = copy(self)
        narrow._only = tuple(keys)
        return narrow

    def list(self, **asked: Unpack[ListQuery]) -> Page[Read]:
        """Return one page; pages without items are skipped (`first_items`)."""
        return first_items(self._make_reader(asked, READ_ON_SECONDS), asked.get("page_token"))

    def pages(self, **asked: Unpack[ListQuery]) -> Iterator[Page[Read]]:
        """Yield all pages. Each page is read only when it is needed (`each_page`)."""
        return each_page(self._make_reader(asked), asked.get("page_token"))

    def iterate(self, **asked: Unpack[ListQuery]) -> Iterator[Read | Malformed]:
        """Yield the items of all `pages`, each once (`leave_out_repeats`)."""
        for page in leave_out_repeats(self.pages(**asked)):
            yield from page.items

    def _make_reader(self, asked: ListQuery, seconds: float | None = None) -> "PageReader[Read]":
        operation = OPERATIONS[self.list_operation]
        read = make_decoder(operation.collection, self._only) if self._only else decode
        parse = partial(read_page, operation, self.item)

        def ask(size: int | None, token: str | None) -> Page[Read]:
            query = build_query(operation, **asked | {"page_size": size, "page_token": token})
            return self.call(operation.name, parse, query=query, read=read)

        page_size = asked.get("page_size")
        return PageReader(ask, page_size, may_be_large=self.may_be_large, seconds=seconds)


def read_page(operation: Operation, kind: type[Read], answer: Answer) -> Page[Read]:
    """Return the page of a list from an answer.

    Raise Unreadable if the items are missing or not an array, or if the token is malformed.
    """
    fields = answer.json if isinstance(answer.json, Mapping) else {}
    items = fields.get(operation.collection)
    if not isinstance(items, list):
        raise make_error(Unreadable, operation.name, answer)
    try:
        token = read_page_token(fields.get("nextPageToken"))
    except ValueError:
        raise make_error(Unreadable, operation.name, answer) from None
    return Page(read_items(items, kind), token, answer.read_at)


_POSITION = re.compile(r"~([0-9]{0,4})\.([0-9]{1,12})~(.*)", re.DOTALL)


class Position(NamedTuple):
    """A position in a list: the service's token, the page size, and the number of items before.

    `token` is None at the start of the list. `passed` is the number of items before; None if it is
    unknown.
    """

    token: str | None
    page_size: int | None
    passed: int | None

    @classmethod
    def read(cls, text: str | None, page_size: int | None = None) -> "Position":
        """Return the position in a page token. `write` or the service made the token."""
        if not text:
            return cls(None, page_size, 0)
        found = _POSITION.fullmatch(text)
        if found and int(found[1] or 0) <= MAXIMUM_PAGE_SIZE:
            return cls(found[3], int(found[1] or 0) or None, int(found[2]))
        return cls(text, page_size, None)

    def write(self) -> str:
        """Return page size, number of items before, and token as one text."""
        return f"~{self.page_size or ''}.{self.passed or 0}~{self.token}"


def is_same_page(one: str | None, other: str | None) -> bool:
    """Return True if two page tokens lead to the same page of the service."""
    return Position.read(one)[:2] == Position.read(other)[:2]


class PageReader(Generic[Listed]):
    """Reader of the pages of one list, each by its token.

    `ask` reads a page of the service by page size and token. If an answer is too large, the reader
    asks again with a quarter of the page size. But a token is valid only with its page size (Spec:
    Shared list behaviour). So if the page is not the first, the reader reads the list again from
    its start up to the wanted items, for at most `seconds`. After that, its tokens contain page
    size and position, so that later pages are read with the smaller size. With `may_be_large`, all
    tokens contain page size and position, so that a token alone is enough to find its page.
    """

    def __init__(
        self,
        ask: Callable[[int | None, str | None], Page[Listed]],
        page_size: int | None,
        *,
        may_be_large: bool,
        seconds: float | None = None,
    ) -> None:
        self._ask = ask
        self._page_size = page_size
        self._may_be_large = may_be_large
        self._seconds = seconds
        # Number of items before each token that this reader returned.
        self._passed: dict[str, int] = {}

    def __call__(self, token: str | None) -> Page[Listed]:
        """Return the page of a token; the first page if it is None. May raise LendingError."""
        at = Position.read(token, self._page_size)
        if at.passed is None:
            at = at._replace(passed=self._passed.get(at.token or ""))
        try:
            page = self._ask(at.page_size, at.token)
        except AnswerTooLarge:
            if at.passed is None or at.page_size == 1:
                raise
            page, size = self._read_again(at.passed, at.page_size)
            at = Position(at.token, size, at.passed)
        page = replace(page, page_size=at.page_size)
        following = page.next_page_token
        if following is None or at.passed is None:
            return page
        passed = self._passed[following] = at.passed + len(page.items)
        is_usual = at.page_size == self._page_size and not _POSITION.fullmatch(following)
        if is_usual and not self._may_be_large:
            return page
        return replace(page, next_page_token=Position(following, at.page_size, passed).write())

    def _read_again(self, passed: int, page_size: int | None) -> tuple[Page[Listed], int]:
        """Read the list again in smaller pages; return a page of the remaining items, and its size.

        The remaining items are those after the first `passed` items of the list. The size is at
        most a quarter of `page_size`.
        """
        size = max(1, (page_size or MAXIMUM_PAGE_SIZE) // 4)
        token, start, time = None, 0, Deadline(self._seconds or float("inf"))
        while True:
            try:
                page = self._ask(size, token)
            except AnswerTooLarge:
                if size == 1:
                    raise
                return self._read_again(passed, size)
            token, end = page.next_page_token, start + len(page.items)
            if end > passed or token is None:
                return replace(page, items=page.items[passed - start :]), size
            if time.has_passed:
                raise AnswerTooLarge(_TOO_FAR)
            start = end


def each_page(
    fetch: Callable[[str | None], Page[Listed]], start: str | None = None
) -> Iterator[Page[Listed]]:
    """Yield all pages. Each page is read only when it is needed.

    `start` is the token of the first page to read; None for the start of the list. Raise
    UnfinishedList for a token that was used before, and after EMPTY_PAGES successive pages without
    items.
    """
    token, seen, empty = start, set[tuple[object, ...]](), 0
    while True:
        seen.add(Position.read(token)[:2])
        page = fetch(token)
        yield page
        token = page.next_page_token
        if token is None:
            return
        if Position.read(token)[:2] in seen:
            raise UnfinishedList(LED_BACK)
        empty = 0 if page.items else empty + 1
        if empty == EMPTY_PAGES:
            raise UnfinishedList(ENDLESS)


def first_items(
    fetch: Callable[[str | None], Page[Listed]], start: str | None = None
) -> Page[Listed]:
    """Return the page of the token `start`, or the next page that has items.

    If `start` is None, begin with the first page. At most MORE_PAGES further pages are read. If the
    result has a token but no items, the list may have more items: the limit was reached, or a
    further page could not be read. Raise UnfinishedList if a page without items has a token that
    was used before.
    """
    pages, time = each_page(fetch, start), Deadline(READ_ON_SECONDS)
    page = next(pages)
    for _ in range(MORE_PAGES):
        if page.items or page.next_page_token is None or time.has_passed:
            return page
        try:
            page = next(pages)
        except UnfinishedList:
            raise
        except LendingError:
            # The caller can request the next page by its token, and then gets the error.
            return page
    return page


def leave_out_repeats(pages: Iterable[Page[Listed]]) -> Iterator[Page[Listed]]:
    """Yield the pages without items that an earlier page had; each page counts these items.

    An item is recognised by its id, or else by its uid. An item without both is never left out.
    Only a hash of each item is stored, about 70 bytes. Raise UnfinishedList for a page with only
    items of earlier pages, because then the list repeats itself.
    """
    keys = set[int]()
    for page in pages:
        fresh = []
        for item in page.items:
            key = _hash_id(item)
            if key is None or key not in keys:
                fresh.append(item)
            if key is not None:
                keys.add(key)
        if page.items and not fresh:
            raise UnfinishedList(LED_BACK)
        repeated = len(page.items) - len(fresh)
        yield replace(page, items=tuple(fresh), repeated=repeated) if repeated else page


def _hash_id(item: object) -> int | None:
    """Return a hash that identifies an item within its list; None for an item without an id."""
    if not isinstance(item, Value):
        return None
    key = text(getattr(item, item.id_field, None)) if item.id_field else None
    if key:
        return hash(key)
    uid = text(getattr(item, "uid", None))
    return hash(("uid", uid)) if uid else None


class Search(NamedTuple, Generic[Listed]):
    """Result of a search in a list: the item or None.

    `whole` is True if the item was found, or if the list was read to its end.
    """

    found: Listed | None
    whole: bool


def search(
    pages: Iterator[Page[Listed]], is_wanted: Callable[[Listed], bool], at_most: int
) -> Search[Listed]:
    """Search a list for an item, page by page, until `at_most` items or more were compared.

    The search also ends after MORE_PAGES further pages without items, and where a list repeats
    itself. Any other LendingError is raised.
    """
    compared = empty = 0
    try:
        for page in leave_out_repeats(pages):
            for item in page.items:
                compared += 1
                if not isinstance(item, Malformed) and is_wanted(item):
                    return Search(item, True)
            if page.next_page_token is None:
                return Search(None, True)
            empty = 0 if page.items else empty + 1
            if compared >= at_most or empty > MORE_PAGES:
                break
    except UnfinishedList:
        pass
    return Search(None, False)


def gather(pages: Iterator[Page[Listed]], at_most: int) -> tuple[tuple[Listed, ...], bool]:
    """Return the items of a list within the limits of `search`, and True if these are all items.

    Raise LendingError as `search` does. An item that is not an object is left out.
    """
    items: list[Listed] = []

    def keep(item: Listed) -> bool:
        items.append(item)
        return False

    whole = search(pages, keep, at_most).whole
    return tuple(items), whole
