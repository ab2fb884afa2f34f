"""A page without a row that says that more follow: nobody is told that there is nothing."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from lendingadmin.people.search.views import NOT_EVERYTHING, NOTHING
from tests.faults.behaviours import refusal
from tests.paging.service import PagedService
from tests.search.words import results_of
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db

ROWS: dict[str, dict[str, Any]] = {
    "borrowers": {"borrowerId": "B-1", "individual": {"surname": "FOUND-1"}},
    "loans": {"accountId": "FOUND-1", "borrowerId": "B-1", "accountNo": 7},
    "assessments": {"assessmentId": "FOUND-1", "accountId": "borrower:B-1"},
    "events": {
        "eventId": "E-1",
        "accountId": "borrower:B-1",
        "eventType": "FOUND-1",
        "timestamp": "2026-01-01T00:00:00.000Z",
    },
    "products": {"productId": "FOUND-1", "displayName": "FOUND-1"},
    "assessmentTypes": {"assessmentTypeId": "FOUND-1", "displayName": "FOUND-1"},
}
LISTS = {
    "borrowers": "/apps/kenya/borrowers/",
    "loans": "/apps/kenya/loans/",
    "assessments": "/apps/kenya/assessments/",
    "events": "/apps/kenya/events/",
    "products": "/products/",
    "assessmentTypes": "/assessment-types/",
}
PANELS = ("loans", "assessments", "events")
# That there is nothing, in a list or a panel; not that there may be more, or that it ended.
NONE = re.compile(r'class="empty"(?! data-finding="(may-be-more|list-ended)")')


def text(desk: Client, address: str, status: int = 200) -> str:
    answer = desk.get(address)
    assert answer.status_code == status, answer.status_code
    return answer.content.decode()


def link(html: str, mark: str = 'data-finding="may-be-more"') -> str:
    """The first link behind a mark."""
    found = re.search(rf'{mark}.*?<a [^>]*href="([^"]+)"', html, re.DOTALL)
    assert found, html
    return unescape(found[1])


def link_of_panel(html: str) -> str:
    found = re.search(r'href="([^"]+\?pageToken=[^"]+)"', html)
    assert found, html
    return unescape(found[1])


def link_of_fault(desk: Client, address: str) -> str:
    """Where the page of a list that was not read to its end leads."""
    answer = desk.get(address)
    assert answer.status_code == 502 and list_marks(answer, "finding") == ["unfinished-list"]
    ((_, url),) = answer.context["card"].links
    assert f'href="{escape(url)}"' in answer.content.decode()
    return str(url)


@pytest.mark.parametrize("name", LISTS)
def test_a_list_reads_past_empty_pages(desk: Client, service: PagedService, name: str) -> None:
    service.give_empty_pages(name, 5, [ROWS[name]])
    page = text(desk, LISTS[name])
    assert "FOUND-1" in page
    assert not NONE.search(page)


@pytest.mark.parametrize("name", LISTS)
def test_past_the_bound_a_list_says_that_there_is_more(
    desk: Client, service: PagedService, name: str
) -> None:
    service.give_empty_pages(name, 9, [ROWS[name]])
    first = text(desk, LISTS[name])
    assert not NONE.search(first)
    assert service.hits(name) == 6
    assert "FOUND-1" in text(desk, link(first))


def test_a_list_without_a_row_on_its_last_page_has_none(
    desk: Client, service: PagedService
) -> None:
    service.give_empty_pages("loans", 3, [])
    assert NONE.search(text(desk, LISTS["loans"]))


def test_the_end_of_a_list_is_not_a_list_without_rows(desk: Client, service: PagedService) -> None:
    service.give("loans", {"": ([ROWS["loans"]], "t"), "t": ([], None)})
    page = text(desk, LISTS["loans"] + "?pageToken=t")
    assert not NONE.search(page)
    assert "FOUND-1" in text(desk, link(page, 'data-finding="list-ended"'))


def test_a_fault_on_the_way_leaves_what_is_known(desk: Client, service: PagedService) -> None:
    service.give_empty_pages("loans", 2, [ROWS["loans"]])
    service.server.on("pageToken=p2", refusal(500, "down"))
    page = text(desk, LISTS["loans"])
    assert not NONE.search(page)
    assert link(page).endswith("pageToken=p2")


def test_a_page_that_leads_to_itself_is_no_next_page(desk: Client, service: PagedService) -> None:
    service.give("loans", {"": ([ROWS["loans"]], "t"), "t": ([ROWS["loans"]], "t")})
    answer = desk.get(LISTS["loans"] + "?pageToken=t")
    page = answer.content.decode()
    assert 'rel="next"' not in page and "data-last" not in page
    note = answer.context["list"].pager["note"]
    assert note and escape(note) in page


def test_empty_pages_in_a_circle_are_a_fault(desk: Client, service: PagedService) -> None:
    service.give("loans", {"": ([], "t"), "t": ([], "t")})
    answer = desk.get(LISTS["loans"])
    assert answer.status_code == 502 and len(list_marks(answer, "finding")) == 1


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_reads_past_empty_pages(desk: Client, service: PagedService, name: str) -> None:
    service.give_empty_pages(name, 5, [ROWS[name]])
    page = text(desk, f"/apps/kenya/borrowers/B-1/panels/{name}")
    assert "FOUND-1" in page
    assert not NONE.search(page)


@pytest.mark.parametrize("name", PANELS)
def test_past_the_bound_a_panel_leads_on(desk: Client, service: PagedService, name: str) -> None:
    service.give_empty_pages(name, 9, [ROWS[name]])
    first = text(desk, f"/apps/kenya/borrowers/B-1/panels/{name}")
    assert 'data-finding="may-be-more"' in first and not NONE.search(first)
    assert "FOUND-1" in text(desk, link_of_panel(first))


@pytest.mark.parametrize("name", PANELS)
def test_a_page_of_somebody_elses_is_not_none(
    desk: Client, service: PagedService, name: str
) -> None:
    theirs = ROWS[name] | {"borrowerId": "B-2", "accountId": "borrower:B-2"}
    if name == "loans":
        theirs["accountId"] = "L-other"
    service.give(name, {"": ([theirs], "t"), "t": ([ROWS[name]], None)})
    first = text(desk, f"/apps/kenya/borrowers/B-1/panels/{name}")
    assert 'data-finding="may-be-more"' in first and not NONE.search(first)
    assert "FOUND-1" in text(desk, link_of_panel(first))


def test_find_reads_past_empty_pages(desk: Client, service: PagedService) -> None:
    service.give_empty_pages("loans", 5, [ROWS["loans"]])
    answer = desk.get(results_of(desk, "kenya", "7"), {"whole": "1"})
    assert answer.headers.get("Location") == "/apps/kenya/loans/FOUND-1/"


def test_past_the_bound_find_does_not_say_no_match(desk: Client, service: PagedService) -> None:
    service.give_empty_pages("loans", 9, [ROWS["loans"]])
    page = text(desk, results_of(desk, "kenya", "7") + "?whole=1")
    assert NOTHING not in page
    assert NOT_EVERYTHING in page
    further = text(desk, link(page, 'class="fault"'))
    assert "FOUND-1" in text(desk, link(further))


@pytest.mark.parametrize("count", [5, 9])
def test_an_event_behind_empty_pages(desk: Client, service: PagedService, count: int) -> None:
    service.give_empty_pages("events", count, [ROWS["events"]])
    where = "/apps/kenya/events/borrower_3AB-1/FOUND-1/2026-01-01T00_3A00_3A00.000Z/"
    if count == 5:
        assert desk.get(where).status_code == 200
    else:
        listed = text(desk, link_of_fault(desk, where))
        assert "FOUND-1" in text(desk, link(listed))


@pytest.mark.parametrize("name", ["products", "assessmentTypes"])
def test_an_entry_of_the_catalogue_that_was_not_come_to(
    desk: Client, service: PagedService, name: str
) -> None:
    service.give_empty_pages(name, 9, [ROWS[name]])
    assert link_of_fault(desk, LISTS[name] + "FOUND-1/") == LISTS[name]
    service.give_empty_pages(name, 5, [ROWS[name]])
    assert "FOUND-1" in text(desk, LISTS[name] + "FOUND-1/")
    assert 'data-finding="not-listed"' in text(desk, LISTS[name] + "FOUND-2/", 404)


@pytest.mark.parametrize("name", ["products", "assessmentTypes"])
def test_an_entry_of_a_catalogue_that_leads_back(
    desk: Client, service: PagedService, name: str
) -> None:
    service.give(name, {"": ([ROWS[name]], "t"), "t": ([ROWS[name]], "t")})
    assert "FOUND-1" in text(desk, LISTS[name] + "FOUND-1/")
    assert link_of_fault(desk, LISTS[name] + "FOUND-2/")


def test_an_event_in_a_list_that_leads_back(desk: Client, service: PagedService) -> None:
    other = ROWS["events"] | {"eventId": "E-2", "eventType": "other"}
    service.give("events", {"": ([other], "t"), "t": ([other], "t")})
    where = "/apps/kenya/events/borrower_3AB-1/FOUND-1/2026-01-01T00_3A00_3A00.000Z/"
    assert link_of_fault(desk, where)


def test_a_new_assessment_is_told_that_running_ones_may_be_unseen(
    desk: Client, service: PagedService
) -> None:
    service.give_empty_pages("assessments", 9, [ROWS["assessments"]])
    page = text(desk, "/apps/kenya/assessments/new?borrowerId=B-1")
    assert 'data-finding="partial-list"' in page


def test_types_for_an_offer_behind_empty_pages(desk: Client, service: PagedService) -> None:
    kind = {"assessmentTypeId": "FOUND-1", "name": "assessmentTypes/FOUND-1", "displayName": "F"}
    where = "/apps/kenya/borrowers/B-1/offers/new"
    service.give_empty_pages("assessmentTypes", 5, [kind])
    assert "assessmentTypes/FOUND-1" in text(desk, where)
    service.give_empty_pages("assessmentTypes", 9, [kind])
    assert "FOUND-1" in text(desk, link(text(desk, link(text(desk, where)))))


def test_what_may_have_become_of_a_write_says_that_the_list_was_not_seen_whole(
    service: PagedService,
) -> None:
    from lendingadmin.money.writes.models import Write
    from lendingadmin.money.writes.reconciliation import Submitted
    from lendingadmin.money.writes.states import WriteFound
    from lendingadmin.records.events import outcomes

    sent = {"accountId": "borrower:B-1", "eventType": "x", "timestamp": "2026-01-01T00:00:00.000Z"}
    service.give_empty_pages("events", 9, [])
    finding = outcomes.check_reported(Write(app_id="kenya"), Submitted(sent=sent | {"values": {}}))
    assert finding.found == WriteFound.NOT_SEEN
    assert outcomes.ONLY_A_PART in finding.why
