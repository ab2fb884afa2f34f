"""Pages that find a person by name, phone or number, and any record by its id.

People come from the index. Ids are looked up at the service, in parallel in all places that the
person may read. The page waits a moment for these look-ups, so that a quick answer leads directly
to the record. Slower results are missing at first, and load separately.
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
from .encrypted_words import decrypt_words, get_results_address
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

NO_PERSON = gettext_noop("No person found. Your words were not searched as an id.")
NOTHING = gettext_noop("Nothing found.")
NOTHING_SO_FAR = gettext_noop("Nothing found so far.")
NOT_EVERYTHING = gettext_noop("Not everything could be searched.")
_SUGGESTED = 8
# The page waits this many seconds for look-ups. This is enough for a healthy service, and short for
# a person.
MOMENT = 0.8


@signed_in(methods=("GET", "POST"))
def search(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the search page. A POST takes the words and redirects to the page of their results.

    Raise OverQuota if the person has used up the quota of searches.
    """
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
    """Redirect to the record if it is the only match; else show people, and matches by kind.

    With `?whole=1` the page waits for all kinds, for browsers without JavaScript.
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
    """Return True if the words may be an id, so that they are looked up at the service.

    A single word of letters is usually a name. Return False for such a word if the person may
    search the index, the index is complete, and no borrower has this name. `people` is the result
    from the index.
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
    """Return records whose id differs only in letter case.

    A kind is left out if a record of this kind has exactly this id.
    """
    if validate_id(wanted):
        return ()
    found = {match.kind for one in results for match in one.matches}
    others = find_records("other_case", request.user, app_id, wanted)
    return tuple(match for match in others if match.kind not in found)


def _find_people(request: PersonRequest, app_id: str, wanted: str) -> dict[str, Any]:
    """Return the matching people, if the person may search them, and the state of the index."""
    context = _describe_people(request, app_id)
    index = context["index"]
    found = find_people(index, wanted, list_rights(request.user)) if index else Found([])
    return context | {"found": found.people, "may_be_more": found.may_be_more}


def _describe_people(request: PersonRequest, app_id: str) -> dict[str, Any]:
    """Return the context about the index: the right to search it, and its state."""
    may_search = request.user.has_perm(SEARCH_BORROWERS)
    index = find_index(app_id) if may_search else None
    is_partial = may_search and (index is None or index.complete_at is None)
    return {"may_search": may_search, "index": index, "is_partial": is_partial}


@access(SEARCH_BORROWERS, methods=("POST",))
def suggest(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the best matches for typed text; without text, the records opened last.

    If the person has used up the quota of searches, show a notice.
    """
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
    """Return the lookup with the key `place`, and the decrypted words.

    Raise Http404 for an unknown key, for words of another person, and for words that can't be an id
    of this kind of record.
    """
    lookup = next((one for one in LOOKUPS if one.key == place), None)
    wanted = decrypt_words(request.user, encrypted)
    if lookup is None or not lookup.fits(wanted) or validate_id(wanted):
        raise Http404("There is no such search.")
    return lookup, wanted


def lookup_needs(
    request: PersonRequest, app_id: str, place: str, encrypted: str
) -> tuple[str, ...]:
    """Return the right that a lookup needs. Raise Http404 like `_read_lookup`."""
    return (_read_lookup(request, place, encrypted)[0].permission,)


@signed_in(needs=lookup_needs)
def search_in(request: PersonRequest, app_id: str, place: str, encrypted: str) -> HttpResponse:
    """Show the matches of one kind of record, or the error of the lookup.

    Raise Http404 like `_read_lookup`.
    """
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
    """Show the person's last opened records, for the panel below the find box."""
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
    """Look up the id in all places in parallel.

    With `seconds`, the result of a slower look-up is pending.
    """
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
    if isinstance(result, UnfinishedList):  # only the look-up of a loan's number reads a list
        listed = reverse("loans", args=[app_id], query={"accountNo": int(wanted)})
        card = replace(card, links=((_("Search further"), listed),))
    return SearchResult(app_id, place, fault=card)


def _write_message(people: dict[str, Any], results: list[SearchResult], as_id: str) -> str:
    """Return the result of the search in one line.

    `static/js/find.js` does the same for parts that load later.

    `as_id` is the address that looks up the words as an id, if the person can choose this.
    """
    count = len(people["found"]) + sum(len(one.matches) for one in results)
    faults = any(one.fault for one in results) or people["is_partial"]
    if count:
        line = ngettext("%(count)s match.", "%(count)s matches.", count) % {"count": count}
    elif as_id and not faults:
        line = _(NO_PERSON)
    else:
        line = _(NOTHING_SO_FAR if faults else NOTHING)
    return " ".join([line, _(NOT_EVERYTHING)]) if faults else line


def _only_match(app_id: str, people: list[Person], results: list[SearchResult]) -> str:
    """Return the address of the only record with this id; empty if there may be other records.

    A name alone never leads to a page, because another person may have the same name.
    """
    if any(one.fault or one.pending for one in results):
        return ""
    found = dict(link for one in results for link in one.links)
    others = {kinds.BORROWER.url(app_id, person.borrower_id) for person in people} - set(found)
    if len(found) != 1 or others:
        return ""
    ((url, match),) = found.items()
    return "" if match.warning else url
