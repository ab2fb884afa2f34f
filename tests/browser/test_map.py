"""The map of places holds every page that there is."""

from collections import Counter, defaultdict
from contextlib import suppress
from typing import Any

from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve

from lendingadmin.web.access import guards_itself, rule_of
from tests.browser.places import PLACES

# Routes that a GET reaches and that are no page of their own, and why.
WITHOUT = {
    "healthz": "an answer to a machine",
    "session": "an answer to a page",
    "readyz": "an answer to a machine",
    "metrics": "an answer to a machine",
    "start": "leads to the home page",
    "borrower-reveal": "the record page, with what a role of one's own may not see",
    "borrower-name": "a fragment: a word in a title",
    "borrower-repayment": "leads to the form of a loan, or to the borrower",
    "events-reported": "a fragment of an assessment that found too little data",
    "borrower-used-values": "a fragment of the forms of a borrower: what their fields offer",
    "offer-status": "a fragment of the offer's page",
    "assessment-status": "a fragment of the assessment's page",
    "repayment-status": "a fragment of the receipt",
    "write-status": "a fragment of the write's page",
    "borrowers-export": "a file",
    "borrower-kept": "a file",
    "loans-export": "a file",
    "assessments-export": "a file",
    "products-export": "a file",
    "assessment-types-export": "a file",
    "repayments-export": "a file",
    "repayments-day-export": "a file",
    "events-export": "a file",
    "loan-list-export": "a file",
    "statement-export": "a file",
    "statement-batch-export": "a file",
    "statement-batch-progress": "a fragment of the batch's page",
    "bulk-papers-progress": "a fragment of the page of papers in bulk",
    "saved-list-export": "a file",
    "mfa_download_recovery_codes": "a file",
    "provider-callback": "what comes back from an identity provider; test_identity_provider.py",
    "provider-confirm": "there with an identity provider alone; test_identity_provider.py",
    "mfa_login_webauthn": "an answer to a script",
    "mfa_reauthenticate_webauthn": "leads to the pages of other factors where there is no key",
    "book-progress": "a fragment of the home page",
}


class _Any(defaultdict[str, str]):
    def __init__(self) -> None:
        super().__init__(lambda: "1")


def _routes(patterns: Any, spaces: tuple[str, ...] = ()) -> dict[str, URLPattern]:
    """The routes that answer a GET, by name."""
    found: dict[str, URLPattern] = {}
    for one in patterns:
        if isinstance(one, URLResolver):
            inner = (*spaces, one.app_name) if one.app_name else spaces
            found |= _routes(one.url_patterns, inner)
            continue
        rule = rule_of(one.callback)
        if ("GET" in rule.methods) if rule else guards_itself(one.callback):
            found[":".join([*spaces, str(one.name or one.pattern)])] = one
    return found


def test_every_route_that_answers_a_get_is_a_place_or_says_why_not() -> None:
    routes = _routes(get_resolver().url_patterns)
    named = {place.ends for place in PLACES}
    for place in PLACES:
        with suppress(Resolver404):
            named.add(resolve(place.address.partition("?")[0].format_map(_Any())).view_name)
    missing = set(routes) - named - set(WITHOUT)
    assert missing == set()
    assert not set(WITHOUT) - set(routes), "no such route any more"
    assert not named & set(WITHOUT)


def test_no_two_places_bear_one_name() -> None:
    names = Counter(place.name for place in PLACES)
    assert [name for name, count in names.items() if count > 1] == []
