"""The three ways in which the service lists: plain, filtered, and filtered in an order.

Spec: Shared list behaviour. Filter and order apply only where an operation shows them, and a filter
may be tried where it is silent.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import partial
from typing import Generic, Self, TypeVar

from lendingadmin.lending.codec import decode, decoder_of
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.pages import (
    READ_ON_SECONDS,
    Order,
    Page,
    PageReader,
    each_page,
    first_items,
    leave_out_repeats,
    list_query,
)
from lendingadmin.lending.resource import Resource, check_page, read_page

from .values import Malformed, Value

Listed = TypeVar("Listed", bound=Value)


class _Listing(Resource, Generic[Listed]):
    """A resource whose items are listed by one operation."""

    list_operation: str
    item: type[Listed]
    # Whether one page of the usual size may be too large to read.
    may_be_large = False
    _only: tuple[str, ...] = ()

    def only(self, keys: Iterable[str]) -> Self:
        """The same list, of each item only these keys (the wire's names): quick, for all pages."""
        narrow = copy(self)
        narrow._only = tuple(keys)
        return narrow

    def _pages_of(
        self,
        *,
        filters: Mapping[str, str] | None = None,
        order: Order | None = None,
        page_size: int | None,
        seconds: float | None = None,
    ) -> PageReader[Listed]:
        """Reads one page of the list that is asked for so, by its token."""
        operation = OPERATIONS[self.list_operation]
        read = decoder_of(operation.collection, self._only) if self._only else decode
        check = partial(check_page, self.list_operation)

        def ask(size: int | None, token: str | None) -> Page[Listed]:
            query = list_query(
                operation, filters=filters, order=order, page_size=size, page_token=token
            )
            answer = self.call(self.list_operation, query=query, read=read, check=check)
            return read_page(self.list_operation, answer, self.item)

        return PageReader(ask, page_size, may_be_large=self.may_be_large, seconds=seconds)


class PlainList(_Listing[Listed]):
    """Listed by pages alone."""

    def list(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> Page[Listed]:
        """One page, past pages without items (`first_items`). Raises LendingError.

        `page_size` is 1 to 1000. Raises ValueError, with a sentence, for what cannot be asked.
        """
        fetch = self._pages_of(page_size=page_size, seconds=READ_ON_SECONDS)
        return first_items(fetch, page_token)

    def pages(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> Iterator[Page[Listed]]:
        """Pages from the first, or the one of `page_token`, to the last (`each_page`)."""
        return each_page(self._pages_of(page_size=page_size), page_token)

    def iterate(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> Iterator[Listed | Malformed]:
        """Items of all `pages`, each once (`leave_out_repeats`), read when they are reached."""
        for page in leave_out_repeats(self.pages(page_size=page_size, page_token=page_token)):
            yield from page.items


class FilteredList(_Listing[Listed]):
    """Listed by pages, with filters that the spec does not show."""

    def list(
        self,
        *,
        filters: Mapping[str, str] | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> Page[Listed]:
        """One page, past pages without items (`first_items`). Raises LendingError.

        `page_size` is 1 to 1000. Raises ValueError, with a sentence, for what cannot be asked.
        """
        fetch = self._pages_of(filters=filters, page_size=page_size, seconds=READ_ON_SECONDS)
        return first_items(fetch, page_token)

    def pages(
        self,
        *,
        filters: Mapping[str, str] | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> Iterator[Page[Listed]]:
        """Pages from the first, or the one of `page_token`, to the last (`each_page`)."""
        return each_page(self._pages_of(filters=filters, page_size=page_size), page_token)

    def iterate(
        self,
        *,
        filters: Mapping[str, str] | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> Iterator[Listed | Malformed]:
        """Items of all `pages`, each once (`leave_out_repeats`), read when they are reached."""
        pages = self.pages(filters=filters, page_size=page_size, page_token=page_token)
        for page in leave_out_repeats(pages):
            yield from page.items


class OrderedList(_Listing[Listed]):
    """Listed by pages, with filters and an order by creation."""

    def list(
        self,
        *,
        filters: Mapping[str, str] | None = None,
        order: Order | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> Page[Listed]:
        """One page, past pages without items (`first_items`). Raises LendingError.

        `page_size` is 1 to 1000. Raises ValueError, with a sentence, for what cannot be asked.
        """
        fetch = self._pages_of(
            filters=filters, order=order, page_size=page_size, seconds=READ_ON_SECONDS
        )
        return first_items(fetch, page_token)

    def pages(
        self,
        *,
        filters: Mapping[str, str] | None = None,
        order: Order | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> Iterator[Page[Listed]]:
        """Pages from the first, or the one of `page_token`, to the last (`each_page`)."""
        fetch = self._pages_of(filters=filters, order=order, page_size=page_size)
        return each_page(fetch, page_token)

    def iterate(
        self,
        *,
        filters: Mapping[str, str] | None = None,
        order: Order | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> Iterator[Listed | Malformed]:
        """Items of all `pages`, each once (`leave_out_repeats`), read when they are reached."""
        pages = self.pages(filters=filters, order=order, page_size=page_size, page_token=page_token)
        for page in leave_out_repeats(pages):
            yield from page.items
