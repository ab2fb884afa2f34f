"""Null in any field is a dash, an empty cell or a sentence on a page; never the word for it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.records.offers.models import OfferState
from tests.odd.addresses import PAGES
from tests.odd.conftest import ask_for_offer
from tests.odd.pages import check, nothing_by_name
from tests.odd.service import OddService
from tests.odd.variants import at, good, odd, places

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("offer")]
ANY = {200, 404, 502}


def answers(resource: str) -> Iterator[tuple[str, Any]]:
    """Each field of its own null, each list of one null, each object with nothing but nulls."""
    found = [place for place in places(resource) if place.path]
    for place in found:
        if len(place.path) == 1:
            yield place.name, odd(place, "null")
        if "array" in place.kind:
            changed = good(resource)
            at(changed, place.path[:-1])[place.path[-1]] = [None]
            yield f"{place.name} [null]", changed
    for path in dict.fromkeys(place.path[:-1] for place in found):
        changed = good(resource)
        within = at(changed, path)
        within.update(dict.fromkeys(within))
        yield f"{path} of nulls", changed


NULLS = [
    pytest.param(resource, answer, id=f"{resource}: {name}")
    for resource in PAGES
    for name, answer in answers(resource)
]


@pytest.mark.parametrize(("resource", "answer"), NULLS)
def test_null_is_never_spelled(
    desk: Client, service: OddService, manager: User, resource: str, answer: Any
) -> None:
    if resource == "Operation":
        ask_for_offer(manager, OfferState.RUNNING)
    service.give(resource, answer)
    for address in (*PAGES[resource].lists, *PAGES[resource].pages):
        check(desk, address, ANY, resource)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<p>None</p>", True),
        ('<input value="None">', True),
        ('<a href="/loans/None/">L</a>', True),
        ("<p>None yet.</p>", False),
        ("<p>Nonesuch</p>", False),
    ],
)
def test_the_word_is_seen(text: str, found: bool) -> None:
    assert bool(nothing_by_name(text)) == found
