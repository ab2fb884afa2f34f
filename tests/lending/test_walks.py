"""Walking over the pages of a list, over a real socket."""

from itertools import islice

import pytest

from lendingadmin.lending.errors import NotFound, UnfinishedList
from lendingadmin.lending.pages import LED_BACK
from tests.faults.behaviours import refusal
from tests.lending import shapes
from tests.lending.cases import answer, list_page


def test_iterate_reads_page_after_page_and_only_when_reached(service, client):
    loans = [{**shapes.LOAN, "accountId": f"L-{number}"} for number in range(3)]
    service.on("GET", answer(list_page("loans", *loans[:2], token="p/2")))
    service.on("pageToken=p%2F2", answer(list_page("loans", loans[2])))

    walk = client.app("kenya").loans.iterate(filters={"status": "2"}, page_size=2)
    assert service.hits() == 0
    assert [next(walk).account_id, next(walk).account_id] == ["L-0", "L-1"]
    assert service.hits() == 1
    assert [loan.account_id for loan in walk] == ["L-2"]
    assert service.hits() == 2
    assert "filter=status%3A2" in service.last().path
    assert "pageSize=2" in service.last().path


def test_a_walk_may_begin_with_the_page_of_a_token(service, client):
    service.on("pageToken=p%2F2", answer(list_page("loans", {"accountId": "L-2"}, token="p/3")))
    service.on("pageToken=p%2F3", answer(list_page("loans", {"accountId": "L-3"}, token="p/2")))

    loans = client.app("kenya").loans
    walk = loans.only(["accountId"]).pages(page_size=1, page_token="p/2")
    pages = [(found.items[0].account_id, found.next_page_token) for found in islice(walk, 2)]
    assert pages == [("L-2", "p/3"), ("L-3", "p/2")]
    assert next(loans.iterate(page_token="p/3")).account_id == "L-3"
    assert all(
        "pageToken" in request.path for request in service.arrived if "loans" in request.path
    )


@pytest.mark.parametrize(
    ("resource", "key"),
    [
        (lambda c: c.app("kenya").borrowers, "borrowers"),
        (lambda c: c.app("kenya").loans, "loans"),
        (lambda c: c.app("kenya").assessments, "assessments"),
        (lambda c: c.app("kenya").events, "events"),
        (lambda c: c.products, "products"),
        (lambda c: c.assessment_types, "assessmentTypes"),
    ],
)
def test_a_service_that_turns_in_a_circle_is_told(service, client, resource, key):
    service.default = answer(list_page(key, {}, token="again"))

    for walk in (resource(client).iterate(page_size=1), resource(client).pages()):
        with pytest.raises(UnfinishedList, match=LED_BACK):
            list(walk)
    assert service.hits() == 4


def test_a_list_reads_on_past_pages_without_items(service, client):
    service.on("GET", answer(list_page("loans", token="2")))
    service.on("pageToken=2", answer(list_page("loans", {"accountId": "L-2"}, token="3")))

    found = client.app("kenya").loans.list(filters={"status": "2"}, page_size=5)
    assert ([loan.account_id for loan in found.items], found.next_page_token) == (["L-2"], "3")
    assert "filter=status%3A2&pageSize=5&pageToken=2" in service.last().path


def test_a_page_that_fails_on_the_way_leaves_the_empty_one(service, client):
    service.on("GET", answer(list_page("loans", token="2")))
    service.on("pageToken=2", refusal(404))

    found = client.app("kenya").loans.list()
    assert (found.items, found.next_page_token) == ((), "2")


def test_an_error_in_the_middle_of_a_walk_is_raised_there(service, client):
    service.on("GET", answer(list_page("events", shapes.EVENT, token="2")))
    service.on("pageToken=2", refusal(404))

    walk = client.app("kenya").events.iterate()
    assert next(walk).event_id == "e-1"
    with pytest.raises(NotFound):
        next(walk)
