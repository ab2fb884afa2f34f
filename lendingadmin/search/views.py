"""Find: open a record by an id, wherever that belongs.

What the person may read is looked up at the same time. The page waits a moment for it, so that a
quick service leads straight to the record; what takes longer is shown without, and each of its
places then loads by itself.
"""

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from lendingadmin import gateway
from lendingadmin.lending.errors import (
    LendingError,
    NotSent,
    Throttled,
    TimedOut,
    UnfinishedList,
)
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.ui import errors
from lendingadmin.ui.access import signed_in
from lendingadmin.ui.requests import PersonRequest

from .lookups import LOOKUPS, Lookup, SearchResult, lookups, validate_id

# Long enough for a service in good health, short enough that Enter never seems to do nothing.
MOMENT = 0.8


@signed_in()
def search(request: PersonRequest, app_id: str) -> HttpResponse:
    """Straight to the record where there is one match; otherwise what was found, place by place.

    `?whole=1` looks everywhere before it answers: without JavaScript.
    """
    app, wanted = gateway.lending_app(app_id), _wanted(request)
    wrong = validate_id(wanted) if wanted else ""
    places = lookups(request.user, wanted) if wanted and not wrong else []
    whole = "whole" in request.GET
    results = _look(places, app_id, wanted, seconds=None if whole else MOMENT)
    if to := _only_match(results):
        return redirect(to)
    context = {"wanted": wanted, "wrong": wrong, "results": results, "app": app}
    context["message"] = "" if any(one.pending for one in results) else _write_message(results)
    return render(request, "search/search.html", context)


def _read_lookup(request: PersonRequest, place: str) -> Lookup:
    """The place to look in that a request names. Raises Http404 where nothing can be found."""
    lookup = next((one for one in LOOKUPS if one.key == place), None)
    wanted = _wanted(request)
    if lookup is None or not lookup.fits(wanted) or validate_id(wanted):
        raise Http404("That is not looked for there.")
    return lookup


def lookup_needs(request: PersonRequest, app_id: str, place: str) -> tuple[str, ...]:
    """Who looks in one place: those who may read what is there. Raises Http404."""
    return (_read_lookup(request, place).permission,)


@signed_in(needs=lookup_needs)
def search_in(request: PersonRequest, app_id: str, place: str) -> HttpResponse:
    """One place of the find page: what is there, or that it could not be looked up."""
    lookup, wanted = _read_lookup(request, place), _wanted(request)
    try:
        result: Any = lookup.call(gateway.app(app_id), wanted)()
    except LendingError as error:
        result = error
    found = _run_lookup(app_id, lookup, wanted, result, hurried=False)
    template = "search/_place.html" if request.htmx else "search/place.html"
    context = {"one": found, "wanted": wanted, "app": gateway.lending_app(app_id)}
    return render(request, template, context)


@signed_in()
def last_opened(request: PersonRequest, app_id: str) -> HttpResponse:
    """What this person opened last, for the panel below the find box."""
    app = gateway.lending_app(app_id)
    template = "search/_recall.html" if request.htmx else "search/recall.html"
    return render(request, template, {"app": app})


def _wanted(request: PersonRequest) -> str:
    return request.GET.get("q", "").strip()


def _look(
    places: list[Lookup], app_id: str, wanted: str, seconds: float | None
) -> list[SearchResult]:
    """Look everywhere at once; with `seconds`, what takes longer is pending."""
    app = gateway.app(app_id)
    calls = [place.call(app, wanted) for place in places]
    results = read_in_parallel(gateway.client(), *calls, seconds=seconds) if calls else ()
    return [
        _run_lookup(app_id, place, wanted, result, hurried=seconds is not None)
        for place, result in zip(places, results, strict=True)
    ]


def _run_lookup(
    app_id: str, place: Lookup, wanted: str, result: Any, *, hurried: bool
) -> SearchResult:
    if hurried and isinstance(result, TimedOut | NotSent | Throttled):
        return SearchResult(app_id, place, pending=True)
    if isinstance(result, LendingError):
        return SearchResult(app_id, place, fault=_card(app_id, result, wanted))
    return SearchResult(app_id, place, result)


def _card(app_id: str, error: LendingError, wanted: str) -> errors.Card:
    """The card of a fault; where the list of loans was not read to its end, with a link to it.

    Only a number is looked for in a list.
    """
    card = errors.card(error)
    if not isinstance(error, UnfinishedList):
        return card
    listed = reverse("loans", args=[app_id], query={"accountNo": int(wanted)})
    return replace(card, links=(("Look further", listed),))


def _write_message(results: list[SearchResult]) -> str:
    """What came of it, in a line; `static/js/find.js` says the same of what loads by itself."""
    count, faults = sum(len(one.matches) for one in results), any(one.fault for one in results)
    if count:
        line = f"{count} {'match' if count == 1 else 'matches'}."
    else:
        line = "Nothing found so far." if faults else "No match."
    return f"{line} Not everything could be looked up." if faults else line


def _only_match(results: list[SearchResult]) -> str:
    """Where the one record is that has this id; empty where there are others or may be."""
    if any(one.fault or one.pending for one in results):
        return ""
    found = dict(link for one in results for link in one.links)
    if len(found) != 1:
        return ""
    ((url, match),) = found.items()
    return url if match.exact else ""
