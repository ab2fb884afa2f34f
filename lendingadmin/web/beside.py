"""From inside a record to the next of the list that it was opened from, and back to its row.

A list that lends its neighbours here links its rows with `mark`, which puts the list's own place
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
from lendingadmin.lending.values import Odd

from . import errors
from .access import refusal, rule_of, signed_in
from .lists import ListPage, read_page
from .requests import PersonRequest
from .tables import row_name

PARAMETER = "list"
# A place is part of every row's link; a longer one is not worth it.
_LONGEST = 1000


class Beside(NamedTuple):
    """Addresses of the records before and after one, empty where there is none, and where it is."""

    previous: str
    next: str
    words: str


Neighbours = Callable[[PersonRequest, dict[str, Any], QueryDict, str], Beside]


class _Lent(NamedTuple):
    neighbours: Neighbours
    back: Callable[[dict[str, Any]], str] | None


_LENT: dict[str, _Lent] = {}


def lend(
    route: str, neighbours: Neighbours, back: Callable[[dict[str, Any]], str] | None = None
) -> None:
    """Let records opened from the list at this route find their neighbours there.

    `neighbours` is given the request, the route's arguments, the list's query and the record's id;
    it may raise LendingError. `back` gives the address to come back to by the route's
    arguments, where that is not the record's row in the list.
    """
    _LENT[route] = _Lent(neighbours, back)


@dataclass(frozen=True)
class Place:
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

    def at(self, query: str) -> "Place":
        """Another place in the same list."""
        return Place(self.route, self.kwargs, QueryDict(query))

    def back(self, key: str) -> str:
        """The list's address, at the row of the record."""
        lent = _LENT[self.route].back
        return lent(self.kwargs) if lent else f"{self.address}#{row_name(key)}"

    def neighbours(self, request: PersonRequest, key: str) -> Beside:
        """What stands beside the record. Raises LendingError."""
        return _LENT[self.route].neighbours(request, self.kwargs, self.query, key)

    @property
    def permission(self) -> str:
        """Who may see the list. Raises Http404 for one that is for nobody."""
        rule = rule_of(resolve(urlsplit(self.address).path).func)
        if rule is None or not rule.permission:
            raise Http404("That list has no declared access.")
        return rule.permission


def mark(request: HttpRequest) -> str:
    """What the rows of the list at hand put behind the addresses of their records."""
    match = request.resolver_match
    if match is None or match.url_name not in _LENT:
        return ""
    return Place(match.url_name, match.kwargs, request.GET).mark


def place_of(value: str, app_id: str) -> Place | None:
    """The place that a parameter names: of this app, in a list that lends its neighbours, or None.

    It is resolved and written anew, so that it can lead nowhere else.
    """
    path, _, query = value.partition("?")
    if not path or len(value) > _LONGEST:
        return None
    try:
        match = resolve(f"/apps/{app_id}/{path}")
    except Resolver404:
        return None
    if match.url_name not in _LENT:
        return None
    return Place(match.url_name, match.kwargs, QueryDict(query))


@signed_in()
def beside(request: PersonRequest, app_id: str) -> HttpResponse:
    """What stands beside a record in its list; `go=next` leads there: without JavaScript."""
    place, key = place_of(request.GET.get(PARAMETER, ""), app_id), request.GET.get("of", "")
    if place is None or not key:
        raise Http404("There is no such list.")
    if not request.user.has_perm(place.permission):
        return refusal(request, place.permission)
    found, card = None, None
    try:
        found = place.neighbours(request, key)
    except LendingError as error:
        card = errors.card(error)
    ways = found._asdict() if found else {}
    if (go := request.GET.get("go", "")) in ("previous", "next") and ways.get(go):
        return redirect(ways[go])
    template = "_beside.html" if request.htmx else "beside.html"
    return render(request, template, shown(place, key) | {"found": found, "card": card})


def shown(place: Place, key: str) -> dict[str, Any]:
    """What `_beside.html` draws before anything was looked up."""
    asked = urlencode({PARAMETER: place.value, "of": key})
    address = reverse("beside", args=[place.kwargs["app_id"]])
    return {"beside_url": f"{address}?{asked}", "back_url": place.back(key), "key": key}


class _Asked(NamedTuple):
    """A list's place, as `read_page` takes it."""

    GET: QueryDict
    path: str


def of_list(
    operation: str,
    listing: Callable[[str], Any],
    keys: Iterable[str],
    key_of: Callable[[Any], str | None],
) -> Neighbours:
    """The neighbours in the service's list of this operation, whose page is `loans` for loans.

    `listing` gives the client's resource for an app; of its items only `keys` are read. Behind the
    last row comes the next page; the service knows no way to the page before.
    """
    route = operation.partition(".")[0]

    def read(place: Place) -> tuple[ListPage, list[str]]:
        call = listing(place.kwargs["app_id"]).only(keys).list
        asked = _Asked(place.query, reverse(place.route, kwargs=place.kwargs))
        page = read_page(asked, OPERATIONS[operation], call)
        found = [key_of(item) for item in page.items if not isinstance(item, Odd)]
        return page, [key for key in found if key]

    def neighbours(
        request: PersonRequest, kwargs: dict[str, Any], query: QueryDict, key: str
    ) -> Beside:
        place = Place(route, kwargs, query)
        page, rows = read(place)
        if key not in rows or not page.next_url or rows[-1] != key:
            return among(rows, key, place, route.removesuffix("s"))
        following = place.at(urlsplit(page.next_url).query)
        return among(rows, key, place, route.removesuffix("s"), following, read(following)[1])

    return neighbours


def among(
    rows: list[str],
    key: str,
    place: Place,
    route: str,
    following: Place | None = None,
    more: list[str] | None = None,
) -> Beside:
    """The neighbours of `key` among the ids of a page; `more` are those of the following page.

    `route` is that of one record's page.
    """
    if key not in rows:
        return Beside("", "", "Not on that page of the list any more")

    def address(found: str, there: Place) -> str:
        return reverse(route, args=[place.kwargs["app_id"], found]) + there.mark

    at = rows.index(key)
    before = address(rows[at - 1], place) if at else ""
    behind = address(rows[at + 1], place) if at + 1 < len(rows) else ""
    if not behind and following and more:
        behind = address(more[0], following)
    return Beside(before, behind, f"{at + 1} of {len(rows)} on this page")
