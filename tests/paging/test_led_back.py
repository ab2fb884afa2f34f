"""A list that leads back to itself is never called whole, and a row that comes again is one row."""

import csv
import io
import tracemalloc
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.desk.portfolio.models import Snapshot
from lendingadmin.lending.errors import UnfinishedList
from lendingadmin.lending.pages import ENDLESS, LED_BACK, Page, each_page, leave_out_repeats
from lendingadmin.lending.values import Loan
from lendingadmin.web import exports
from tests.paging.service import PagedService
from tests.portfolio.conftest import counted, outstanding
from tests.portfolio.service import loan

pytestmark = pytest.mark.django_db(transaction=True)


def of(*numbers: int) -> list[dict[str, Any]]:
    return [{"accountId": f"L-{number}", "loanAmount": number} for number in numbers]


def exported(desk: Client, name: str = "loans") -> list[list[str]]:
    where = f"/apps/kenya/{name}/export.csv?technical=1"
    text = b"".join(desk.get(where).streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    return list(csv.reader(io.StringIO(text)))[1:]


CIRCLES = {
    "the token of the page itself": {"": (of(1, 2), "t"), "t": (of(3), "t")},
    "the token of a page before": {"": (of(1, 2), "t"), "t": (of(3), "u"), "u": (of(4), "t")},
    "the first page over and over": {"": (of(1, 2), "t"), "t": (of(1, 2), "u")},
    "the first page again as the last": {"": (of(1, 2), "t"), "t": (of(1, 2), None)},
}


@pytest.mark.parametrize("pages", CIRCLES.values(), ids=list(CIRCLES))
def test_a_csv_of_a_list_that_leads_back_broke_off(
    desk: Client, service: PagedService, pages: dict[str, Any]
) -> None:
    service.give("loans", pages)
    *rows, last = exported(desk)
    keys = [row[1] for row in rows]
    assert len(last) == 1, last
    assert last[0].startswith(exports.BROKEN_OFF % {"rows": len(rows), "why": ""})
    assert LED_BACK in last[0]
    assert len(set(keys)) == len(keys)
    ended = Entry.objects.latest("pk")
    assert (ended.outcome, ended.detail.split()[0]) == ("broken", str(len(rows)))


def test_a_csv_of_events_too(desk: Client, service: PagedService) -> None:
    one = {"eventId": "E-1", "accountId": "borrower:B-1", "eventType": "x", "timestamp": "t"}
    service.give("events", {"": ([one], "t"), "t": ([one | {"eventId": "E-2"}], "t")})
    rows = exported(desk, "events")
    assert [row[1] for row in rows[:2]] == ["E-1", "E-2"]
    assert LED_BACK in rows[2][0]


def test_a_row_that_comes_again_is_written_once_and_told(
    desk: Client, service: PagedService
) -> None:
    service.give("loans", {"": (of(1, 2), "t"), "t": (of(2, 3, 3), None)})
    *rows, last = exported(desk)
    assert [row[1] for row in rows] == ["L-1", "L-2", "L-3"]
    assert last == [exports.describe_repeated(2)] and " 2 " in last[0]
    assert Entry.objects.latest("pk").outcome == "done"


def test_rows_without_an_id_are_all_kept(desk: Client, service: PagedService) -> None:
    nameless = {"loanAmount": 5}
    service.give("loans", {"": ([nameless, nameless], "t"), "t": ([nameless, 7, 7], None)})
    assert len(exported(desk)) == 5
    assert Entry.objects.latest("pk").outcome == "done"


def test_a_uid_tells_rows_apart_where_there_is_no_id(desk: Client, service: PagedService) -> None:
    first, second = {"uid": "u-1"}, {"uid": "u-2"}
    service.give("loans", {"": ([first], "t"), "t": ([second, first], None)})
    *rows, last = exported(desk)
    assert len(rows) == 2
    assert last == [exports.describe_repeated(1)] and " 1 " in last[0]


def test_empty_pages_without_end_break_a_csv_off(desk: Client, service: PagedService) -> None:
    service.give_empty_pages("loans", 300, of(1))
    (last,) = exported(desk)
    assert last[0].startswith(exports.BROKEN_OFF % {"rows": 0, "why": ""})
    assert ENDLESS in last[0]
    assert service.hits("loans") < 150


# --- the count of the portfolio --------------------------------------------------------------


LOANS = [loan(number) | {"loanAmount": 90, "balances": None} for number in range(6)]


@pytest.mark.parametrize(
    "pages",
    [
        {"": (LOANS[:2], "t"), "t": (LOANS[2:4], "t")},
        {"": (LOANS[:2], "t"), "t": (LOANS[2:4], "u"), "u": (LOANS[4:], "t")},
        {"": (LOANS[:2], "t"), "t": (LOANS[:2], "u"), "u": (LOANS[2:], None)},
        {"": (LOANS[:2], "t"), "t": (LOANS[:2], None)},
    ],
    ids=list(CIRCLES),
)
@pytest.mark.parametrize("a_slice", [True, False], ids=["in one slice", "page by page"])
def test_a_count_that_was_led_back_is_not_kept(
    service: PagedService, pages: dict[str, Any], a_slice: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not a_slice:
        monkeypatch.setattr("lendingadmin.core.worker.walks.SLICE", 0.0)
    service.give("loans", pages)
    row = counted()
    assert row.state == Snapshot.State.FAILED
    assert LED_BACK in row.why
    assert service.hits("loans") <= 4


def test_a_repeated_row_counts_once(service: PagedService) -> None:
    from lendingadmin.lending.codec import encode

    one, two = (simple(number) for number in (1, 2))
    assert encode(one)
    service.give("loans", {"": ([one, one], "t"), "t": ([one, two], None)})
    row = counted()
    assert (row.state, row.loans_read) == (Snapshot.State.DONE, 2)
    assert outstanding(row) == [120, 2]


def simple(number: int) -> dict[str, Any]:
    """A loan of which 60 are outstanding, in JSON's own numbers."""
    return {"accountId": f"L-{number}", "balances": {"repayment": {"unpaid": 60}}}


def test_pages_of_what_is_no_loan_are_no_circle(service: PagedService) -> None:
    odd = {"loanAmount": 5}
    pages = {"": ([odd], "t"), "t": ([odd], "u"), "u": ([odd], "v"), "v": ([simple(1)], None)}
    service.give("loans", pages)
    row = counted()
    assert (row.state, row.loans_read, row.unreadable) == (Snapshot.State.DONE, 1, 3)


# --- memory ----------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_a_walk_of_100_000_rows_keeps_little_of_each() -> None:
    from datetime import UTC, datetime

    def fetch(token: str | None) -> Page[Loan]:
        start = int(token or 0)
        rows = tuple(Loan({"accountId": f"{n:08}-aaaa-bbbb"}) for n in range(start, start + 1000))
        return Page(rows, str(start + 1000) if start < 99_000 else None, datetime.now(UTC))

    tracemalloc.start()
    count = sum(len(page.items) for page in leave_out_repeats(each_page(fetch)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 100_000
    assert peak < 12_000_000


def test_the_error_of_a_walk_names_nobody() -> None:
    error = UnfinishedList()
    assert error.saved == "no"
