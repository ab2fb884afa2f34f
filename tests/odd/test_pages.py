"""Whatever the service answers in whichever place, every page that shows it is a whole page."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver, resolve

from lendingadmin.core.staff.models import User
from lendingadmin.records.offers.models import OfferState
from lendingadmin.web.access import routes, rule_of
from tests.odd.addresses import ENTERED, LOOKS, NAMED_BY, PAGES, WITHOUT, WRITES
from tests.odd.conftest import ask_for_offer
from tests.odd.pages import check
from tests.odd.service import OddService
from tests.odd.spec import SCALARS
from tests.odd.variants import Place, all_at_once, good, odd, shares, variants

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("offer")]

Answer = tuple[str, Any]
AT_LEAST = 1
SHARES = shares(PAGES, AT_LEAST)
# The answer of a service that gives no object, or perhaps another one, where one was asked for.
UNREADABLE = 502


def allowed(place: Place) -> set[int]:
    """The statuses of a page of one: a whole page, save where the answer is none or names none."""
    found = {200}
    if not place.path or (place.resource, *place.path) in NAMED_BY:
        found.add(UNREADABLE)
    keys = PAGES[place.resource].keys
    if keys and (not place.path or place.path[0] in keys):
        found.add(404)
    return found


@pytest.mark.parametrize("place", SHARES, ids=lambda place: place.name)
def test_no_odd_value_breaks_a_page(
    desk: Client, service: OddService, manager: User, place: Place
) -> None:
    for (name, answer), addresses in turns(list(answers(place)), PAGES[place.resource].pages):
        if place.resource == "Operation":
            ask_for_offer(manager, OfferState.RUNNING)
        service.give(place.resource, answer)
        for address in addresses:
            check(desk, address, allowed(place), name)
    for address, items in lists(place):
        service.list(place.resource, items)
        check(desk, address, {200}, place.name)


def lists(place: Place) -> Iterator[tuple[str, list[Any]]]:
    """The pages of many: the first with all variants in one list, the others with a share each."""
    pages = PAGES[place.resource]
    if not pages.lists or (len(place.path) > 1 and place.path[0] in pages.not_listed):
        return
    items = [odd(place, name) for name in variants(place)]
    if place.path and place.path[0] not in pages.not_listed:
        items = [{k: v for k, v in item.items() if k not in pages.not_listed} for item in items]
    first, *others = pages.lists
    yield first, items
    for turn, address in enumerate(others, start=len(place.name)):
        yield address, items[turn % len(others) :: len(others)]


def turns(tried: list[Answer], pages: tuple[str, ...]) -> Iterator[tuple[Answer, list[str]]]:
    """Each answer with the pages that it is shown on: the first, and others in rotation.

    Every page has its turn.
    """
    first, *others = pages
    shown: dict[int, list[str]] = {number: [first] for number in range(len(tried))}
    for turn in range(max(len(tried), len(others)) if others else 0):
        shown[turn % len(tried)].append(others[turn % len(others)])
    for number, addresses in shown.items():
        yield tried[number], addresses


def answers(place: Place) -> Iterator[Answer]:
    """What each place is tried with alone, and all of it at once where it lies in a list."""
    for name in SHARES[place]:
        yield name, odd(place, name)
    if (whole := all_at_once(place)) is not None:
        yield "all at once", whole


def test_every_variant_comes_up_in_every_type_of_field() -> None:
    tried: dict[str, set[str]] = {}
    due: dict[str, set[str]] = {}
    for place, names in SHARES.items():
        if place.path:
            tried.setdefault(place.type, set()).update(names)
            due.setdefault(place.type, set()).update(variants(place))
    assert tried == due
    assert {kind for kind in SCALARS if kind not in tried} == set()


@pytest.mark.parametrize("resource", PAGES)
def test_a_good_answer_is_shown(desk: Client, service: OddService, resource: str) -> None:
    service.give(resource, good(resource))
    for address in (*PAGES[resource].lists, *PAGES[resource].pages):
        check(desk, address, {200}, "good")


def test_every_route_that_reads_from_the_service_is_asked_for() -> None:
    asked = [one for pages in PAGES.values() for one in (*pages.lists, *pages.pages)]
    asked += [ENTERED, f"{ENTERED.removesuffix('new')}form/confirm"]
    asked += [one.format(number=1, token="w") for one in (*LOOKS, *WRITES)]
    paths = {address.rpartition(" ")[2].partition("?")[0] for address in asked}
    reached = {resolve(path).func for path in paths}
    without = {pattern.callback for pattern in _patterns(get_resolver()) if pattern.name in WITHOUT}
    assert len(without) == len(WITHOUT)
    missing = [
        route
        for route, view in routes(get_resolver().url_patterns)
        if rule_of(view) and view not in reached | without
    ]
    assert missing == []
    assert not reached & without


def _patterns(resolver: Any) -> Iterator[Any]:
    for one in resolver.url_patterns:
        if hasattr(one, "url_patterns"):
            yield from _patterns(one)
        else:
            yield one
