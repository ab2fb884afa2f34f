"""Shared parts of lists: parameters, and the division of rows into pages.

Spec: Shared list behaviour.
"""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

from django.conf import settings
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from ninja import Schema
from pydantic import ConfigDict, Field, WithJsonSchema

from lendingadmin.sandbox.rules.instants import from_millis, to_millis
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.rules.lists import (
    LARGEST_PAGE,
    Clause,
    Place,
    read_filter,
    read_order,
    read_page_size,
    read_token,
    write_token,
)

_PAGE_SIZE = {"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": LARGEST_PAGE}
_PAGE_TOKEN = {"type": "string", "description": "the nextPageToken of the page before"}
_FILTER = {"type": "string", "description": "clauses <FIELD>:<VALUE>, parted by spaces"}
_ORDER = {"type": "string", "enum": ["asc", "desc"], "description": "by createdAt; default asc"}

Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")


class PageParameters(Schema):
    """Parameters of a list that can be paged."""

    model_config = ConfigDict(populate_by_name=True)

    page_size: Annotated[str | None, WithJsonSchema(_PAGE_SIZE)] = Field(None, alias="pageSize")
    page_token: Annotated[str | None, WithJsonSchema(_PAGE_TOKEN)] = Field(None, alias="pageToken")


class ListParameters(PageParameters):
    """Parameters of a list that can be filtered, ordered and paged."""

    filter: Annotated[str | None, WithJsonSchema(_FILTER)] = None
    order: Annotated[str | None, WithJsonSchema(_ORDER)] = None


class Listing(NamedTuple):
    """Parameters of a request for a list, after parsing.

    `place` is the last row of the page before; None for the first page. A page token is valid only
    for requests with the same values in `bound`.
    """

    size: int
    descending: bool
    clauses: tuple[Clause, ...]
    place: Place | None
    bound: tuple[object, ...]

    def token(self, place: Place) -> str:
        """Return the token for the rows after this place."""
        return write_token(_read_key(), self.bound, place)


def read_listing(
    request: HttpRequest, asked: PageParameters, fields: Mapping[str, type]
) -> Listing:
    """Read the parameters of a list whose filter fields are `fields`.

    If there are no filter fields, filter and order are refused, because they would have no effect.
    Raise Invalid or InvalidPageToken for wrong parameters.
    """
    size = read_page_size(asked.page_size)
    descending, text = False, ""
    clauses: tuple[Clause, ...] = ()
    if isinstance(asked, ListParameters):
        descending = read_order(asked.order)
        text = asked.filter or ""
        clauses = read_filter(text, fields)
    else:
        for name in ("filter", "order"):
            if name in request.GET:
                raise Invalid(name, "is not supported by this list")
    bound = (request.path, size, text, descending)
    token = asked.page_token
    place = None if token is None else read_token(_read_key(), bound, token)
    return Listing(size, descending, clauses, place, bound)


def read_page(rows: QuerySet[Row], asked: Listing) -> tuple[list[Row], str | None]:
    """Return a page of rows in the order of createdAt, and the token for the next page.

    The token is None after the last page.
    """
    if asked.place is not None:
        rows = rows.filter(_after(asked.place, asked.descending))
    order = ("-created_at", "-id") if asked.descending else ("created_at", "id")
    found: list[Any] = list(rows.order_by(*order)[: asked.size + 1])
    if len(found) <= asked.size:
        return found, None
    last = found[asked.size - 1]
    return found[:-1], asked.token(Place(to_millis(last.created_at), last.pk))


def slice_page(items: list[Item], asked: Listing) -> tuple[list[Item], str | None]:
    """Return a page of fixed items, and the token for the next page.

    The token is None after the last page.
    """
    first = asked.place.number if asked.place else 0
    end = first + asked.size
    more = end < len(items)
    return items[first:end], asked.token(Place(0, end)) if more else None


def _after(place: Place, descending: bool) -> Q:
    """Return the condition for rows after a place.

    The first part is a range of one column, so that the database can use an index.
    """
    moment = from_millis(place.millis)
    if descending:
        return Q(created_at__lte=moment) & (Q(created_at__lt=moment) | Q(pk__lt=place.number))
    return Q(created_at__gte=moment) & (Q(created_at__gt=moment) | Q(pk__gt=place.number))


def _read_key() -> bytes:
    """Return the key that signs page tokens.

    The key is computed from the data key, so that tokens are still valid after a restart.
    """
    return hashlib.sha256(b"page tokens" + settings.SANDBOX_DATA_KEY.encode()).hexdigest().encode()
