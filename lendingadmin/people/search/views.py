"""Find: a person by name, phone or number, and a record by its id, wherever that belongs.

People come from the index, at once. Ids are looked up at the service, in all places that the person
may read, at the same time. The page waits a moment for it, so that a quick service leads straight
to the record; what takes longer is shown without, and each of its places then loads by itself.
"""

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import SEARCH_BORROWERS
from lendingadmin.lending.errors import (
    LendingError,
    NotSent,
    Throttled,
    TimedOut,
    UnfinishedList,
)
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.people.index.find import Found, Person, find_index, find_people
from lendingadmin.web import errors
from lendingadmin.web.access import access, signed_in
from lendingadmin.web.masking import list_rights
from lendingadmin.web.quotas import OverQuota
from lendingadmin.web.requests import PersonRequest, address_with

from . import kinds
from .counts import count_search
from .lookups import (
    LOOKUPS,
    OTHER_CASE,
    STORED,
    Lookup,
    Match,
    SearchResult,
    find_records,
    lookups,
    validate_id,
)
from .query import decrypt_words, get_results_address

NO_PERSON = gettext_noop("No person found. Not searched as an id.")
NOTHING_SO_FAR = gettext_noop("Nothing found so far.")
NOT_EVERYTHING = gettext_noop("Not everything could be searched.")
_SUGGESTED = 8
# Long enough for a service in good health, short enough that Enter never seems to do nothing.
MOMENT = 0.8


@signed_in(methods=("GET", "POST"))
def search(request: PersonRequest, app_id: str) -> HttpResponse:
    """The page to search from. POST takes the words, and leads to the page of their results."""
    context = {"app": gateway.lending_app(app_id)} | _describe_people(request, app_id)
    words = request.POST.get("q", "").strip()
    if context["index"] and words:
        count_search(request.user, app_id)
    if words:
        address = get_results_address(app_id, request.user, words)
        return redirect(f"{address}?whole=1" if "whole" in request.POST else address)
    return render(request, "search/search.html", context)


@signed_in()
def results(request: PersonRequest, app_id: str, encrypted: str) -> HttpResponse:
    """Straight to the record where there is one match; otherwise people, and ids place by place.

    `?whole=1` looks everywhere before it answers: without JavaScript.
    """
    app, wanted = gateway.lending_app(app_id), decrypt_words(request.user, encrypted)
    people = _find_people(request, app_id, wanted)
    wrong = validate_id(wanted) if not people["found"] else ""
    may_look = [] if validate_id(wanted) else lookups(request.user, wanted)
    places = may_look if "id" in request.GET or may_be_id(wanted, people) else []
    whole = "whole" in request.GET
    results = _look(request, places, app_id, wanted, seconds=None if whole else MOMENT)
    if stored := () if wrong else find_records("stored", request.user, app_id, wanted):
        results.append(SearchResult(app_id, STORED, stored))
    if others := _find_other_case(request, app_id, wanted, results):
        results.append(SearchResult(app_id, OTHER_CASE, others))
    if to := _only_match(app_id, people["found"], results):
        return redirect(to)
    as_id = address_with(request, {"id": "1"}) if may_look and not places else ""
    context = {
        "wanted": wanted,
        "encrypted": encrypted,
        "wrong": wrong,
        "results": results,
        "app": app,
        "as_id": as_id,
    }
    is_open = any(one.pending for one in results)
    context["message"] = "" if is_open else _write_message(people, results, as_id)
    return render(request, "search/search.html", context | people)


def may_be_id(wanted: str, people: dict[str, Any]) -> bool:
    """Whether the service is asked for a record of this id before anybody says that it is one.

    One word of letters alone is a name, as a rule: where the index is whole and may be searched,
    it has told already that nobody bears it. `people` is what the index found.
    """
    if any(sign.isdigit() or sign in ":_" for sign in wanted):
        return True
    if people["found"] or " " in wanted:
        return False
    knows_names = people["may_search"] and not people["is_partial"]
    return not (knows_names and wanted.isalpha())


def _find_other_case(
    request: PersonRequest, app_id: str, wanted: str, results: list[SearchResult]
) -> tuple[Match, ...]:
    """Records of this id in other letters, where none of their kind has it as it was typed."""
    if validate_id(wanted):
        return ()
    found = {match.kind for one in results for match in one.matches}
    others = find_records("other_case", request.user, app_id, wanted)
    return tuple(match for match in others if match.kind not in found)


def _find_people(request: PersonRequest, app_id: str, wanted: str) -> dict[str, Any]:
    """Who of the index fits, for those who may search it; and how the index stands."""
    context = _describe_people(request, app_id)
    index = context["index"]
    found = find_people(index, wanted, list_rights(request.user)) if index else Found([])
    return context | {"found": found.people, "may_be_more": found.may_be_more}


def _describe_people(request: PersonRequest, app_id: str) -> dict[str, Any]:
    """What the page says of the index: who may search it, whether it is whole, and how old."""
    may_search = request.user.has_perm(SEARCH_BORROWERS)
    index = find_index(app_id) if may_search else None
    is_partial = may_search and (index is None or index.complete_at is None)
    return {"may_search": may_search, "index": index, "is_partial": is_partial}


@access(SEARCH_BORROWERS, methods=("POST",))
def suggest(request: PersonRequest, app_id: str) -> HttpResponse:
    """The best matches of the index while one types; without words, what was opened last."""
    app, wanted = gateway.lending_app(app_id), request.POST.get("q", "").strip()
    if not wanted:
        return render(request, "search/_recall.html", {"app": app})
    try:
        count_search(request.user, app_id)
    except OverQuota:
        return render(request, "search/_suggestions.html", {"app": app, "is_held": True})
    people = _find_people(request, app_id, wanted)
    people["found"] = people["found"][:_SUGGESTED]
    return render(request, "search/_suggestions.html", {"app": app} | people)


def _read_lookup(request: PersonRequest, place: str, encrypted: str) -> tuple[Lookup, str]:
    """The place to look in, and the words. Raises Http404 where nothing can be found there."""
    lookup = next((one for one in LOOKUPS if one.key == place), None)
    wanted = decrypt_words(request.user, encrypted)
    if lookup is None or not lookup.fits(wanted) or validate_id(wanted):
        raise Http404("That is not looked for there.")
    return lookup, wanted


def lookup_needs(
    request: PersonRequest, app_id: str, place: str, encrypted: str
) -> tuple[str, ...]:
    """Who looks in one place: those who may read what is there. Raises Http404."""
    return (_read_lookup(request, place, encrypted)[0].permission,)


@signed_in(needs=lookup_needs)
def search_in(request: PersonRequest, app_id: str, place: str, encrypted: str) -> HttpResponse:
    """One place of the results: what is there, or that it could not be looked up."""
    lookup, wanted = _read_lookup(request, place, encrypted)
    try:
        result: Any = lookup.call(gateway.app(app_id), wanted, list_rights(request.user))()
    except LendingError as error:
        result = error
    found = _run_lookup(app_id, lookup, wanted, result, hurried=False)
    template = "search/_place.html" if request.htmx else "search/place.html"
    context = {"one": found, "wanted": wanted, "encrypted": encrypted}
    return render(request, template, context | {"app": gateway.lending_app(app_id)})


@signed_in()
def last_opened(request: PersonRequest, app_id: str) -> HttpResponse:
    """What this person opened last, for the panel below the find box."""
    app = gateway.lending_app(app_id)
    template = "search/_recall.html" if request.htmx else "search/recall.html"
    return render(request, template, {"app": app})


def _look(
    request: PersonRequest,
    places: list[Lookup],
    app_id: str,
    wanted: str,
    seconds: float | None,
) -> list[SearchResult]:
    """Look everywhere at once; with `seconds`, what takes longer is pending."""
    app, held = gateway.app(app_id), list_rights(request.user)
    calls = [place.call(app, wanted, held) for place in places]
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
    if not isinstance(result, LendingError):
        return SearchResult(app_id, place, result)
    card = errors.card(result)
    if isinstance(result, UnfinishedList):  # Of loans: only a number is looked for in a list.
        listed = reverse("loans", args=[app_id], query={"accountNo": int(wanted)})
        card = replace(card, links=((_("Search further"), listed),))
    return SearchResult(app_id, place, fault=card)


def _write_message(people: dict[str, Any], results: list[SearchResult], as_id: str) -> str:
    """What came of it, in a line; `static/js/find.js` says the same of what loads by itself.

    `as_id` is the address that looks it up as an id, where that is left to the person.
    """
    count = len(people["found"]) + sum(len(one.matches) for one in results)
    faults = any(one.fault for one in results) or people["is_partial"]
    if count:
        line = ngettext("%(count)s match.", "%(count)s matches.", count) % {"count": count}
    elif as_id and not faults:
        line = _(NO_PERSON)
    else:
        line = _(NOTHING_SO_FAR) if faults else _("Nothing found.")
    return " ".join([line, _(NOT_EVERYTHING)]) if faults else line


def _only_match(app_id: str, people: list[Person], results: list[SearchResult]) -> str:
    """Where the one record is that has this id; empty where there are others or may be.

    A name leads to nobody's page by itself: the caller may be another of that name.
    """
    if any(one.fault or one.pending for one in results):
        return ""
    found = dict(link for one in results for link in one.links)
    others = {kinds.BORROWER.url(app_id, person.borrower_id) for person in people} - set(found)
    if len(found) != 1 or others:
        return ""
    ((url, match),) = found.items()
    return "" if match.warning else url
