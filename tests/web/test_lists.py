"""List pages: filters, order, size and page in the URL, whatever the service does with them."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import RequestFactory

from lendingadmin.lending.errors import BadRequest, Saved
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.pages import Page
from lendingadmin.money.repayments.forms import JournalForm
from lendingadmin.web.lists import (
    NO_PAGE_SIZE,
    NO_SUCH_PAGE,
    ListForm,
    ListPage,
    build_chips,
    read_page,
)
from tests.web.test_tables import Parts

NOW = datetime(2026, 11, 20, tzinfo=UTC)


class Listed:
    """A `list` of the client that keeps what it was asked and answers from a script."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.asked: list[dict[str, Any]] = []

    def __call__(self, **asked: Any) -> Page[Any]:
        self.asked.append(asked)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Page)
        return answer


def numbers_page(count: int, token: str | None = None) -> Page[Any]:
    return Page(items=tuple(range(count)), next_page_token=token, read_at=NOW)


def refused(words: str) -> BadRequest:
    return BadRequest(error_description=words, saved=Saved.NO)


def read(query: str, call: Callable[..., Page[Any]], operation: str = "loans.list") -> ListPage:
    request = RequestFactory().get(f"/apps/kenya/loans/{query}")
    return read_page(request, OPERATIONS[operation], call)


def test_what_the_url_says_is_asked_for() -> None:
    call = Listed(numbers_page(3))
    read("?status=2&borrowerId=borrower:7&order=desc&pageSize=25&pageToken=abc%2F%3D", call)
    assert call.asked == [
        {
            "page_size": 25,
            "page_token": "abc/=",
            "filters": {"borrowerId": "borrower:7", "status": "2"},
            "order": "desc",
        }
    ]


def test_only_what_the_spec_lists_is_offered() -> None:
    offered = {
        name: list(ListForm(RequestFactory().get("/").GET, OPERATIONS[name]).fields)
        for name in ("loans.list", "events.list", "borrowers.list", "products.list")
    }
    assert offered["borrowers.list"] == offered["products.list"] == ["pageSize"]
    assert offered["loans.list"] == [*(OPERATIONS["loans.list"].filters or ()), "order", "pageSize"]
    assert offered["events.list"][-2:] == ["order", "pageSize"]


@pytest.mark.parametrize("operation", ["loans.list", "events.list"])
@pytest.mark.parametrize(
    ("query", "order"), [("", "desc"), ("?order=", "desc"), ("?order=asc", "asc")]
)
def test_a_list_with_an_order_opens_with_the_newest_and_shows_it(
    operation: str, query: str, order: str
) -> None:
    call = Listed(numbers_page(3, "t"))
    shown = read(query, call, operation)
    assert call.asked[0]["order"] == order
    assert re.findall(r'<option value="(\w+)" selected', str(shown.form["order"])) == [order]
    assert ("order=asc" in shown.next_url) == (order == "asc")


def test_a_list_without_an_order_is_asked_for_none() -> None:
    for operation in ("borrowers.list", "assessments.list", "products.list"):
        call = Listed(numbers_page(3))
        read("?order=asc", call, operation)
        assert "order" not in call.asked[0], operation


def test_an_order_that_is_none_is_marked_and_nothing_is_sent() -> None:
    call = Listed(numbers_page(3))
    assert "order" in read("?order=sideways", call).form.errors
    assert call.asked == []


def test_a_filter_with_a_space_is_refused_beside_its_field_and_nothing_is_sent() -> None:
    call = Listed(numbers_page(3))
    shown = read("?borrowerId=a%20b", call)
    assert shown.form.has_error("borrowerId", "space")
    assert call.asked == []


def test_a_status_without_a_word_is_asked_for_all_the_same() -> None:
    call = Listed(numbers_page(1))
    request = RequestFactory().get("/?status=77")
    read_page(request, OPERATIONS["loans.list"], call, {"status": {"1": "pending"}})
    assert call.asked[0]["filters"] == {"status": "77"}


def test_the_next_page_keeps_filter_order_and_size() -> None:
    shown = read("?status=2&order=desc&pageSize=25", Listed(numbers_page(25, "t/2=")))
    assert shown.next_url == "/apps/kenya/loans/?status=2&order=desc&pageSize=25&pageToken=t%2F2%3D"
    assert shown.first_url == ""
    second = read("?status=2&pageSize=25&pageToken=t2", Listed(numbers_page(10)))
    assert second.next_url == ""
    assert second.first_url == "/apps/kenya/loans/?status=2&pageSize=25"


def test_an_answer_larger_than_asked_for_is_shown_in_slices() -> None:
    call = Listed(numbers_page(120, "t2"))
    first = read("", call, "borrowers.list")
    assert list(first.items) == list(range(50))
    assert first.next_url.endswith("?from=50")
    second = read("?from=50", call, "borrowers.list")
    assert list(second.items) == list(range(50, 100))
    third = read("?from=100", call, "borrowers.list")
    assert list(third.items) == list(range(100, 120))
    assert third.next_url.endswith("?pageToken=t2")


def test_a_refused_page_size_is_left_out_where_the_spec_does_not_list_it() -> None:
    call = Listed(refused("Unknown parameter pageSize"), numbers_page(3))
    shown = read("", call, "borrowers.list")
    assert [asked["page_size"] for asked in call.asked] == [50, None]
    assert shown.notes == (NO_PAGE_SIZE,)


def test_a_refusal_that_names_a_filter_is_not_about_the_page_size() -> None:
    operation = replace(OPERATIONS["loans.list"], list_parameters=("filter",))
    call = Listed(refused("Status: a number is expected"), numbers_page(3))
    shown = read_page(RequestFactory().get("/?status=x"), operation, call)
    assert len(call.asked) == 1
    assert shown.form.non_field_errors() and shown.notes == ()


def test_a_refusal_where_the_spec_lists_the_size_is_an_error() -> None:
    with pytest.raises(BadRequest):
        read("?order=desc", Listed(refused("no")))


def test_a_filter_that_the_service_refuses_is_told_above_it_and_kept() -> None:
    shown = read("?status=x", Listed(refused("status: a number is expected")))
    assert shown.items == ()
    drawn = render_to_string("_filters.html", {"form": shown.form})
    assert "status: a number is expected" in drawn
    assert 'value="x"' in drawn


def test_an_invalid_page_token_starts_again_and_says_so() -> None:
    call = Listed(refused("Invalid page token"), numbers_page(3))
    shown = read("?pageToken=old&from=50", call)
    assert [asked["page_token"] for asked in call.asked] == ["old", None]
    assert list(shown.items) == [0, 1, 2]
    assert list(shown.notes) == [str(NO_SUCH_PAGE)]


def test_an_order_that_is_not_offered_is_refused() -> None:
    call = Listed(numbers_page(3))
    assert read("?order=up", call).form.errors
    assert call.asked == []


@pytest.mark.parametrize("query", ["?pageSize=7", "?pageSize=x", "?pageSize=1001"])
def test_a_size_that_is_not_offered_is_the_usual_size(query: str) -> None:
    call = Listed(numbers_page(3))
    shown = read(query + "&order=asc&pageToken=abc", call)
    assert [asked["page_size"] for asked in call.asked] == [50]
    # Each other size leads to the first page in it, with the same order.
    request = RequestFactory().get("/apps/kenya/loans/", QueryDict(query[1:] + "&order=asc&from=9"))
    html = render_to_string("_pager.html", {"pager": shown.pager}, request)
    assert re.findall(r'href="([^"]+)">(\d+)</a>', html) == [
        (f"?pageSize={size}&amp;order=asc", str(size)) for size in (25, 100, 250, 1000)
    ]


def test_each_filter_that_is_set_has_a_chip_that_takes_it_off() -> None:
    words = {"status": {"2": "open"}}
    query = QueryDict("status=2&borrowerId=B%261&pageToken=abc&from=50&pageSize=25")
    form = ListForm(query, OPERATIONS["loans.list"], words)
    chips = build_chips(form)
    labels = [form.fields[name].label for name in ("borrowerId", "status")]
    assert [chip[:2] for chip in chips] == list(zip(labels, ("B&1", "open"), strict=True))
    left = QueryDict(chips[0].query).dict()
    assert left == {"status": "2", "pageSize": "25", "order": "desc"}
    drawn = Parts(render_to_string("_filters.html", {"form": form, "action": "/there/"}))
    links = [attrs for tag, attrs in drawn.tags if tag == "a" and attrs["class"] == "chip set"]
    assert [attrs["href"] for attrs in links] == [f"/there/?{chip.query}" for chip in chips]
    names = [attrs["aria-label"] or "" for attrs in links]
    assert all(f"{c.label}: {c.words}" in name for c, name in zip(chips, names, strict=True))
    assert ("details", {}) in drawn.tags
    # What is wrong is in sight.
    wrong = ListForm(QueryDict("status=a+b"), OPERATIONS["loans.list"])
    assert build_chips(wrong) == []
    # And no link carries it on.
    wrong = ListForm(QueryDict("status=a+b&borrowerId=B&pageSize=7"), OPERATIONS["loans.list"])
    assert [QueryDict(chip.query).dict() for chip in build_chips(wrong)] == [
        {"order": "desc", "pageSize": "50"}
    ]
    drawn = Parts(render_to_string("_filters.html", {"form": wrong}))
    assert ("details", {"open": None}) in drawn.tags


def test_a_chip_of_the_journal_leads_to_the_first_page_without_its_filter() -> None:
    form = JournalForm(QueryDict("channel=mobile&since=2026-11-02&before=7&state="))
    assert build_chips(form) == [
        (form["channel"].label, "mobile", "since=2026-11-02"),
        (form["since"].label, "2 Nov 2026", "channel=mobile"),
    ]


@pytest.mark.parametrize(("query", "count"), [("", 0), ("?order=desc", 0), ("?order=asc", 1)])
def test_the_usual_order_is_not_a_chip(query: str, count: int) -> None:
    assert len(build_chips(read(query, Listed(numbers_page(3))).form)) == count
