"""From inside a record to the next of the list that it was opened from, and back to its row.

A registered list links its rows with `{% list_mark %}`, which puts the list's own place
into the record's address (`?list=loans/?status=2`). The record's page then offers what stands
beside it there, found when it is asked for.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse

from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.values import Malformed

from . import converters, errors
from .access import rule_of, signed_in
from .lists import ListPage, read_page
from .requests import PersonRequest

PARAMETER = "list"
# A place is part of every row's link; a longer one is not worth it.
_LONGEST = 1000


class Neighbours(NamedTuple):
    """Addresses of the records before and after one, empty where there is none, and where it is."""

    previous: str
    next: str
    words: str


NeighbourFinder = Callable[[PersonRequest, dict[str, Any], QueryDict, str], Neighbours]


class _RegisteredList(NamedTuple):
    neighbours: NeighbourFinder
    back: Callable[[dict[str, Any]], str] | None


_LISTS: dict[str, _RegisteredList] = {}


def register_list(
    route: str, neighbours: NeighbourFinder, back: Callable[[dict[str, Any]], str] | None = None
) -> None:
    """Let records opened from the list at this route find their neighbours there.

    `neighbours` is given the request, the route's arguments, the list's query and the record's id;
    it may raise LendingError. `back` gives the address to come back to by the route's
    arguments, where that is not the record's row in the list.
    """
    _LISTS[route] = _RegisteredList(neighbours, back)


@dataclass(frozen=True)
class ListPlace:
    """A place in a list: its route with arguments, and the query that it was asked with."""

    route: str
    kwargs: dict[str, Any]
    query: QueryDict

    @property
    def address(self) -> str:
        """Where the list shows this place."""
        query = urlencode([(name, value) for name, value in self.query.items() if value])
        path = reverse(self.route, kwargs=self.kwargs)
        return f"{path}?{query}" if query else path

    @property
    def value(self) -> str:
        """The place as the parameter holds it: the address below the app's, not yet encoded."""
        return self.address.partition(f"/apps/{self.kwargs['app_id']}/")[2]

    @property
    def mark(self) -> str:
        """What goes behind a record's address so that it knows its list; empty for a long place."""
        written = quote(self.value, safe="/?=:~")
        return f"?{PARAMETER}={written}" if len(written) <= _LONGEST else ""

    def at(self, query: str) -> "ListPlace":
        """Another place in the same list."""
        return ListPlace(self.route, self.kwargs, QueryDict(query))

    def back(self, key: str) -> str:
        """The list's address, at the row of the record."""
        back = _LISTS[self.route].back
        return back(self.kwargs) if back else f"{self.address}#{name_row(key)}"

    def neighbours(self, request: PersonRequest, key: str) -> Neighbours:
        """What stands beside the record. Raises LendingError."""
        return _LISTS[self.route].neighbours(request, self.kwargs, self.query, key)

    @property
    def permissions(self) -> tuple[str, ...]:
        """Who may see the list. Raises Http404 for one that is for nobody."""
        rule = rule_of(resolve(urlsplit(self.address).path).func)
        if rule is None or not rule.permissions:
            raise Http404("That list has no declared access.")
        return rule.permissions


def mark_list(request: HttpRequest) -> str:
    """What the rows of the list at hand put behind the addresses of their records."""
    match = request.resolver_match
    if match is None or match.url_name not in _LISTS:
        return ""
    return ListPlace(match.url_name, match.kwargs, request.GET).mark


def name_row(key: str) -> str:
    """The name of a record's row in the list's own address: `#r-L-10001`. Not for an empty id."""
    return f"r-{converters.quote(key)}"


def place_of(value: str, app_id: str) -> ListPlace | None:
    """The place that a parameter names: of this app, in a registered list, or None.

    It is resolved and written again, so that it can lead nowhere else.
    """
    path, _, query = value.partition("?")
    if not path or len(value) > _LONGEST:
        return None
    try:
        match = resolve(f"/apps/{app_id}/{path}")
    except Resolver404:
        return None
    if match.url_name not in _LISTS:
        return None
    return ListPlace(match.url_name, match.kwargs, QueryDict(query))


def _read_place(request: PersonRequest, app_id: str) -> tuple[ListPlace, str]:
    """The list and the record that a request names. Raises Http404."""
    place, key = place_of(request.GET.get(PARAMETER, ""), app_id), request.GET.get("of", "")
    if place is None or not key:
        raise Http404("There is no such list.")
    return place, key


def list_needs(request: PersonRequest, app_id: str) -> tuple[str, ...]:
    """Who sees what stands beside a record: those who may see its list. Raises Http404."""
    return _read_place(request, app_id)[0].permissions


@signed_in(needs=list_needs)
def neighbours(request: PersonRequest, app_id: str) -> HttpResponse:
    """What stands beside a record in its list; `go=next` leads there: without JavaScript."""
    place, key = _read_place(request, app_id)
    found, card = None, None
    try:
        found = place.neighbours(request, key)
    except LendingError as error:
        card = errors.card(error)
    ways = found._asdict() if found else {}
    if (go := request.GET.get("go", "")) in ("previous", "next") and ways.get(go):
        return redirect(ways[go])
    template = "_neighbours.html" if request.htmx else "neighbours.html"
    return render(
        request, template, neighbours_context(place, key) | {"found": found, "card": card}
    )


def neighbours_context(place: ListPlace, key: str) -> dict[str, Any]:
    """What `_neighbours.html` draws before anything was looked up."""
    asked = urlencode({PARAMETER: place.value, "of": key})
    address = reverse("neighbours", args=[place.kwargs["app_id"]])
    return {"neighbours_url": f"{address}?{asked}", "back_url": place.back(key), "key": key}


class _Asked(NamedTuple):
    """A list's place, as `read_page` takes it."""

    GET: QueryDict
    path: str


def find_in_list(
    operation: str,
    listing: Callable[[str], Any],
    keys: Iterable[str],
    key_of: Callable[[Any], str | None],
) -> NeighbourFinder:
    """The neighbours in the service's list of this operation, whose page is `loans` for loans.

    `listing` gives the client's resource for an app; of its items only `keys` are read. Behind the
    last row comes the next page; the service knows no way to the page before.
    """
    route = operation.partition(".")[0]

    def read(place: ListPlace) -> tuple[ListPage, list[str]]:
        call = listing(place.kwargs["app_id"]).only(keys).list
        asked = _Asked(place.query, reverse(place.route, kwargs=place.kwargs))
        page = read_page(asked, OPERATIONS[operation], call)
        found = [key_of(item) for item in page.items if not isinstance(item, Malformed)]
        return page, [key for key in found if key]

    def neighbours(
        request: PersonRequest, kwargs: dict[str, Any], query: QueryDict, key: str
    ) -> Neighbours:
        place = ListPlace(route, kwargs, query)
        page, rows = read(place)
        if key not in rows or not page.next_url or rows[-1] != key:
            return find_in_page(rows, key, place, route.removesuffix("s"))
        following = place.at(urlsplit(page.next_url).query)
        return find_in_page(
            rows, key, place, route.removesuffix("s"), following, read(following)[1]
        )

    return neighbours


def find_in_page(
    rows: list[str],
    key: str,
    place: ListPlace,
    route: str,
    following: ListPlace | None = None,
    more: list[str] | None = None,
) -> Neighbours:
    """The neighbours of `key` among the ids of a page; `more` are those of the following page.

    `route` is that of one record's page.
    """
    if key not in rows:
        return Neighbours("", "", "Not on that page of the list any more")

    def address(found: str, there: ListPlace) -> str:
        return reverse(route, args=[place.kwargs["app_id"], found]) + there.mark

    at = rows.index(key)
    before = address(rows[at - 1], place) if at else ""
    behind = address(rows[at + 1], place) if at + 1 < len(rows) else ""
    if not behind and following and more:
        behind = address(more[0], following)
    return Neighbours(before, behind, f"{at + 1} of {len(rows)} on this page")
