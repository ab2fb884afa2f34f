"""From a record to those before and after it on the page of a list that it was opened from.

A registered list marks the links of its rows with its own place (`?list=loans/?status=2`). The
record's page offers what stands beside it there, read again when the page asks for it.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _

from lendingadmin.lending.errors import LendingError

from . import converters, errors
from .access import rule_of, signed_in
from .requests import PersonRequest

PARAMETER = "list"
# A mark is part of every row's link; a longer one is not worth it.
_LONGEST = 1000


class RegisteredList(NamedTuple):
    """The route of the list's records, and what gives the ids on a page, or raises LendingError.

    `back` gives the address to come back to, where that is not the record's row in the list.
    """

    record: str
    read_keys: Callable[[Mapping[str, Any], QueryDict], list[str]]
    back: Callable[[Mapping[str, Any]], str] | None = None


# By the list's route; areas add theirs in `AppConfig.ready()`.
LISTS: dict[str, RegisteredList] = {}


class ListPlace(NamedTuple):
    """A page of a registered list: its route with arguments, and the query."""

    route: str
    kwargs: Mapping[str, Any]
    query: QueryDict

    @property
    def address(self) -> str:
        """Where the list shows this page."""
        query = {name: value for name, value in self.query.items() if value}
        return reverse(self.route, kwargs=dict(self.kwargs), query=query)

    @property
    def value(self) -> str:
        """The place as the parameter holds it: the address below the app's, not yet encoded."""
        return self.address.split("/", 3)[3]

    @property
    def mark(self) -> str:
        """What goes behind a record's address so that it knows its list; empty for a long place."""
        written = quote(self.value, safe="/?=:~")
        return f"?{PARAMETER}={written}" if len(written) <= _LONGEST else ""

    def back(self, key: str) -> str:
        """The list's address, at the row of the record."""
        back = LISTS[self.route].back
        return back(self.kwargs) if back else f"{self.address}#{name_row(key)}"

    def find_beside(self, key: str) -> dict[str, str]:
        """Addresses of the records before and after one, and where it is. Raises LendingError."""
        listed, mark = LISTS[self.route], self.mark
        keys = listed.read_keys(self.kwargs, self.query)
        if key not in keys:
            return {"words": _("Not on that page of the list any more")}
        at, app_id = keys.index(key), self.kwargs["app_id"]
        words = _("%(place)s of %(count)s on this page")
        found = {"words": words % {"place": at + 1, "count": len(keys)}}
        for name, beside in (("previous", keys[:at][-1:]), ("next", keys[at + 1 :][:1])):
            if beside:
                found[name] = reverse(listed.record, args=[app_id, *beside]) + mark
        return found


def name_row(key: str) -> str:
    """The name of a record's row in the list's own address: `#r-L-10001`. Not for an empty id."""
    return f"r-{converters.quote(key)}"


def place_of(value: str, app_id: str) -> ListPlace | None:
    """The place that a parameter names: of this app, in a registered list, or None.

    It is resolved and written again, so that it can lead nowhere else.
    """
    path, _separator, query = value.partition("?")
    try:
        match = resolve(f"/apps/{app_id}/{path}")
    except Resolver404:
        return None
    if match.url_name not in LISTS or len(value) > _LONGEST:
        return None
    return ListPlace(match.url_name, match.kwargs, QueryDict(query))


def carry_list(request: PersonRequest, app_id: str) -> dict[str, str]:
    """The query by which the next page of a record knows the list too; empty without one."""
    place = place_of(request.GET.get(PARAMETER, ""), app_id)
    return {PARAMETER: place.value} if place else {}


def _asked_for(request: PersonRequest, app_id: str) -> ListPlace:
    place = place_of(request.GET.get(PARAMETER, ""), app_id)
    if place is None or not request.GET.get("of"):
        raise Http404("There is no such list.")
    return place


def list_needs(request: PersonRequest, app_id: str) -> tuple[str, ...]:
    """Who sees what stands beside a record: those who may see its list. Raises Http404."""
    rule = rule_of(resolve(_asked_for(request, app_id).address.partition("?")[0]).func)
    if rule is None or not rule.permissions:
        raise Http404("That list has no declared access.")
    return rule.permissions


@signed_in(needs=list_needs)
def neighbours(request: PersonRequest, app_id: str) -> HttpResponse:
    """What stands beside a record in its list; `go=next` leads there: without JavaScript."""
    place, key = _asked_for(request, app_id), request.GET["of"]
    found, card = {}, None
    try:
        found = place.find_beside(key)
    except LendingError as error:
        card = errors.card(error)
    go = request.GET.get("go", "")
    if go in ("previous", "next") and go in found:
        return redirect(found[go])
    context = neighbours_context(place, key) | {"found": found, "card": card}
    return render(request, "_neighbours.html" if request.htmx else "neighbours.html", context)


def neighbours_context(place: ListPlace, key: str) -> dict[str, Any]:
    """What `_neighbours.html` draws before anything was looked up."""
    asked = {PARAMETER: place.value, "of": key}
    address = reverse("neighbours", args=[place.kwargs["app_id"]], query=asked)
    return {"neighbours_url": address, "back_url": place.back(key), "key": key}
