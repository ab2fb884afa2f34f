"""What may be asked of a list, where its pages end, and how lazily they are read."""

from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice

import pytest

from lendingadmin.lending import pages as pages_module
from lendingadmin.lending.errors import UnfinishedList
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.pages import (
    Page,
    Position,
    build_query,
    each_page,
    first_items,
    gather,
    leave_out_repeats,
    read_page_token,
    search,
    write_filter,
)
from lendingadmin.lending.values import Loan

LOANS, BORROWERS = OPERATIONS["loans.list"], OPERATIONS["borrowers.list"]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_clauses_are_joined_by_spaces_and_values_keep_their_colons():
    filters = {"borrowerId": "a:b:c", "status": "2"}

    assert write_filter(LOANS, filters) == "borrowerId:a:b:c status:2"


@pytest.mark.parametrize(
    ("operation", "field", "value"),
    [
        (LOANS, "surname", "x"),
        (LOANS, "status", ""),
        (LOANS, "status", "2 3"),
        (LOANS, "status", "2\u00a03"),
        (LOANS, "status", "2\n"),
        (LOANS, "status", "2\x00"),
        (BORROWERS, "a:b", "x"),
        (BORROWERS, "", "x"),
        (BORROWERS, "two words", "x"),
        (OPERATIONS["products.list"], "a b", "x"),
        (OPERATIONS["assessmentTypes.list"], "category", "credit"),
    ],
)
def test_a_filter_that_no_clause_can_carry_is_refused(operation, field, value):
    with pytest.raises(ValueError, match=r"\.$"):
        write_filter(operation, {field: value})


def test_where_the_spec_shows_no_filters_any_field_may_be_tried():
    assert write_filter(BORROWERS, {"category": "individual"}) == "category:individual"


def test_only_what_is_asked_goes_into_the_query():
    assert build_query(LOANS) == {}
    assert build_query(LOANS, filters={}) == {}
    assert build_query(
        LOANS, filters={"status": "2"}, order="desc", page_size=50, page_token="t/1=="
    ) == {"filter": "status:2", "order": "desc", "pageSize": "50", "pageToken": "t/1=="}


@pytest.mark.parametrize("asked", [{"page_size": 0}, {"page_size": 1001}, {"order": "up"}])
def test_what_the_spec_rules_out_is_not_asked(asked):
    with pytest.raises(ValueError, match=r"\.$"):
        build_query(LOANS, **asked)


@pytest.mark.parametrize("size", [1, 1000])
def test_the_limits_of_a_page_are_within(size):
    assert build_query(LOANS, page_size=size) == {"pageSize": str(size)}


@pytest.mark.parametrize(
    ("raw", "token"),
    [
        (None, None),
        ("", None),
        (False, None),
        ([], None),
        ("abc", "abc"),
        (7, "7"),
        (0, "0"),
        (Decimal("7"), "7"),
    ],
)
def test_the_next_pages_token_is_read(raw, token):
    assert read_page_token(raw) == token


@pytest.mark.parametrize("raw", [True, ["x"], {"a": 1}, "a\ud800"])
def test_an_odd_token_is_no_end(raw):
    with pytest.raises(ValueError, match="token"):
        read_page_token(raw)


class Pages:
    """Pages by token; remembers which were read."""

    def __init__(self, **pages):
        self.pages = pages
        self.read = []

    def __call__(self, token):
        self.read.append(token)
        items, following = self.pages[token or "first"]
        return Page(items, following, NOW)


def test_pages_are_read_one_after_the_other_to_the_last():
    pages = Pages(first=((1, 2), "b"), b=((), "c"), c=((3,), None))

    assert [page.items for page in each_page(pages)] == [(1, 2), (), (3,)]
    assert pages.read == [None, "b", "c"]


def test_a_page_is_read_only_when_it_is_reached():
    pages = Pages(first=((1, 2), "b"), b=((3,), None))

    walk = each_page(pages)
    assert pages.read == []
    list(islice(walk, 1))
    assert pages.read == [None]


@pytest.mark.parametrize("second", ["b", "c"])
def test_a_token_that_comes_again_is_no_end_of_the_walk(second):
    pages = Pages(first=((1,), "b"), b=((2,), second), c=((3,), "b"))

    walked = []
    with pytest.raises(UnfinishedList, match=pages_module.LED_BACK):
        walked += (page.items for page in islice(each_page(pages), 10))

    assert pages.read == [None, "b", "c"][: 2 if second == "b" else 3]


def test_an_item_that_came_before_is_left_out_and_counted():
    one, two, named = Loan({"accountId": "1"}), Loan({"accountId": "2"}), Loan({"uid": "1"})
    pages = Pages(
        first=((one, one), "b"), b=((one, two, named, Loan({})), "c"), c=((Loan({}),), None)
    )

    found = [(len(page.items), page.repeated) for page in leave_out_repeats(each_page(pages))]

    assert found == [(1, 1), (3, 1), (1, 0)]


@pytest.mark.parametrize("following", ["c", None])
def test_a_page_of_items_that_came_before_leads_back(following):
    one, two = Loan({"accountId": "1"}), Loan({"accountId": "2"})
    pages = Pages(first=((one, two), "b"), b=((two,), following))

    with pytest.raises(UnfinishedList, match=pages_module.LED_BACK):
        list(leave_out_repeats(each_page(pages)))


def test_a_walk_gives_up_after_many_empty_pages():
    with pytest.raises(UnfinishedList, match=pages_module.ENDLESS):
        list(each_page(lambda token: Page((), str(int(token or 0) + 1), NOW)))


def test_one_page_is_the_next_that_has_items():
    pages = Pages(first=((), "b"), b=((), "c"), c=((3,), "d"))

    assert first_items(pages) == Page((3,), "d", NOW)


def test_past_the_bound_an_empty_page_has_a_token():
    read = []

    def fetch(token):
        read.append(token)
        return Page((), f"t{len(read)}", NOW)

    assert first_items(fetch, "t0").next_page_token == "t6"
    assert read == ["t0", "t1", "t2", "t3", "t4", "t5"]


def test_no_further_page_is_begun_after_a_while(monkeypatch):
    monkeypatch.setattr(pages_module, "READ_ON_SECONDS", 0.0)

    assert first_items(Pages(first=((), "b"))).next_page_token == "b"


def test_empty_pages_that_lead_back_are_no_list():
    with pytest.raises(UnfinishedList, match=pages_module.LED_BACK):
        first_items(Pages(first=((), "b"), b=((), "b")))


def test_a_search_ends_at_what_is_wanted_at_the_end_and_at_its_bounds():
    items = tuple(Loan({"accountId": str(number)}) for number in range(4))
    pages = Pages(first=(items[:2], "b"), b=((), "c"), c=(items[2:], None))
    circle = Pages(first=(items[:2], "b"), b=(items[:2], "c"))

    def look_for(key, at_most=10, walk=pages):
        return search(each_page(walk), lambda loan: loan.account_id == key, at_most)

    assert look_for("2") == (items[2], True)
    assert look_for("9") == (None, True)
    assert look_for("9", at_most=2) == (None, False)
    assert look_for("9", walk=circle) == (None, False)
    assert gather(each_page(pages), 10) == (items, True)
    assert gather(each_page(circle), 10) == (items[:2], False)


def test_a_page_in_a_log_is_its_length():
    assert repr(Page(("WANJIRU",), "token", NOW)) == "<Page of 1>"


@pytest.mark.parametrize("text", ["~5000.0~abc", "~1001.0~abc", "~٥.0~abc"])
def test_a_position_that_nobody_wrote_is_the_service_s_own_token(text: str) -> None:
    assert Position.read(text, 50) == Position(text, 50, None)


def test_a_position_is_read_as_it_was_written() -> None:
    assert Position.read(Position("abc", 1000, 12).write()) == Position("abc", 1000, 12)
