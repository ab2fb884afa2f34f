"""Day's end: what is counted, in which day, under whose name, and what each figure leads to."""

import csv
import html
import io
import itertools
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.audit.models import Entry
from lendingadmin.readers import LendingApp
from lendingadmin.repayments import book, dayend
from lendingadmin.repayments.models import Repayment
from lendingadmin.repayments.states import State, Verdict
from lendingadmin.staff.models import User
from tests.repayments.rows import row

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User | None], Client]
DAY = "/apps/kenya/repayments/day/"
NOON = datetime(2026, 3, 10, 9, tzinfo=UTC)
THAT_DAY = date(2026, 3, 10)
KENYA = LendingApp("kenya", "KES", ZoneInfo("Africa/Nairobi"))
FIGURES = (
    "entered",
    "landed",
    "landed_sum",
    "inferred",
    "doubtful",
    "doubtful_sum",
    "refused",
    "not_sent",
    "given_up",
)


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def exported(browser: Client, query: str) -> list[dict[str, str]]:
    answer = browser.get(f"{DAY}export.csv{query}")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(text)))


ENTRIES: list[tuple[State, Verdict | str, str]] = [
    (State.PENDING, "", "doubtful"),
    (State.SENT, "", "doubtful"),
    (State.UNKNOWN, "", "doubtful"),
    (State.NO_TRACE, "", "doubtful"),
    (State.RECORDED, "", "landed"),
    (State.INFERRED, "", "landed"),
    (State.SETTLED, Verdict.RECORDED, "landed"),
    (State.SETTLED, Verdict.NOT_RECORDED, "given_up"),
    (State.REFUSED, "", "refused"),
    (State.NOT_SENT, "", "not_sent"),
]


def test_the_table_of_standings_knows_every_state() -> None:
    assert {state for state, _, _ in ENTRIES} == set(State)


@pytest.mark.parametrize(("state", "verdict", "standing"), ENTRIES)
def test_each_entry_has_one_standing(
    support: User, state: State, verdict: str, standing: str
) -> None:
    row(support, state, "70.25", settled_as=verdict, created_at=NOON)
    (line,) = dayend.lines(KENYA, THAT_DAY)
    counted = {name for name in book.STANDINGS if getattr(line.figures, name)}
    assert counted == {standing}
    assert line.figures.entered == 1
    sums = (line.figures.landed_sum, line.figures.doubtful_sum)
    expected = {"landed": (Decimal("70.25"), 0), "doubtful": (0, Decimal("70.25"))}
    assert sums == expected.get(standing, (0, 0))
    assert line.figures.inferred == (state == State.INFERRED)


@pytest.mark.parametrize(
    "amounts",
    [
        ["0.1"] * 3,
        ["0.001"] * 1001,
        ["123456789012.345", "0.001", "987654321098.765"],
        ["999999999999.999"] * 11,
        ["0.07", "0.57", "1.15", "4.35", "8.195"],
    ],
    ids=["tenths", "thousandths", "long", "longer than a float", "awkward"],
)
def test_sums_are_exact_to_the_last_digit(support: User, amounts: list[str]) -> None:
    for amount in amounts:
        row(support, State.RECORDED, amount, created_at=NOON)
        row(support, State.UNKNOWN, amount, created_at=NOON)
    (line,) = dayend.lines(KENYA, THAT_DAY)
    exact = sum(map(Decimal, amounts))
    assert (line.figures.landed_sum, line.figures.doubtful_sum) == (exact, exact)
    assert book.landed_sum(Repayment.objects.all()) == exact
    (till,) = dayend.tills([line, line], THAT_DAY)
    assert till.total.landed_sum == exact * 2


def test_groups_and_currencies_apart(support: User, manager: User) -> None:
    row(support, created_at=NOON, channel="mobile", network="M-PESA")
    row(support, created_at=NOON, channel="mobile", network="M-PESA", currency_code="KES")
    row(support, created_at=NOON, channel="mobile", network="m-pesa")
    row(support, created_at=NOON, currency_code="USD", amount="7.5")
    row(manager, created_at=NOON)
    row(manager, State.REFUSED, created_at=NOON, currency_code="JPY", amount="900")
    row(manager, created_at=NOON, app_id="ghana")
    found = dayend.tills(dayend.lines(KENYA, THAT_DAY), THAT_DAY)
    told = {
        till.currency: {
            (line.person, line.channel, line.network): line.figures.entered for line in till.lines
        }
        for till in found
    }
    assert told == {
        "JPY": {("manager", "not given", "not given"): 1},
        "KES": {
            ("manager", "not given", "not given"): 1,
            ("support", "mobile", "M-PESA"): 2,
            ("support", "mobile", "m-pesa"): 1,
        },
        "USD": {("support", "not given", "not given"): 1},
    }
    assert {till.currency: till.total.landed_sum for till in found} == {
        "JPY": 0,
        "KES": 400,
        "USD": Decimal("7.5"),
    }


DAYS = [
    # Where, the day, its first moment and the next day's first, both in UTC.
    ("Africa/Nairobi", date(2026, 3, 10), "2026-03-09T21:00", "2026-03-10T21:00"),
    ("Europe/Berlin", date(2026, 3, 29), "2026-03-28T23:00", "2026-03-29T22:00"),  # 23 hours
    ("Europe/Berlin", date(2026, 10, 25), "2026-10-24T22:00", "2026-10-25T23:00"),  # 25 hours
    ("America/Havana", date(2025, 11, 2), "2025-11-02T04:00", "2025-11-03T05:00"),  # 0:00 twice
    ("America/Havana", date(2026, 3, 8), "2026-03-08T05:00", "2026-03-09T04:00"),  # no 0:00
    ("America/Sao_Paulo", date(2018, 11, 4), "2018-11-04T03:00", "2018-11-05T02:00"),
]


@pytest.mark.parametrize(("zone", "day", "first", "following"), DAYS)
def test_a_day_begins_and_ends_where_the_lender_is(
    support: User, zone: str, day: date, first: str, following: str
) -> None:
    there = LendingApp("kenya", "KES", ZoneInfo(zone))
    start = datetime.fromisoformat(f"{first}+00:00")
    end = datetime.fromisoformat(f"{following}+00:00")
    tiny = timedelta(microseconds=1)
    for at in (start - tiny, start, end - tiny, end):
        row(support, created_at=at)
    assert sum(line.figures.entered for line in dayend.lines(there, day)) == 2
    around = [day - timedelta(days=1), day, day + timedelta(days=1)]
    found = [line for one in around for line in dayend.lines(there, one)]
    assert sum(line.figures.entered for line in found) == 4


def test_the_day_of_entry_or_of_the_transaction(support: User, client_of: ClientOf) -> None:
    row(support, created_at=NOON, transaction_date=NOON - timedelta(days=1), amount="123")
    desk = client_of(support)
    for query, is_there in [
        ("?date=2026-03-10", True),
        ("?date=2026-03-09", False),
        ("?date=2026-03-10&by=transactionDate", False),
        ("?date=2026-03-09&by=transactionDate", True),
    ]:
        table = text_of(desk.get(DAY + query)).partition("<table")[2]
        assert (">123.00<" in table) is is_there, query
        assert len(exported(desk, query)) == is_there


def a_busy_day(*people: User) -> None:
    """Something of everything, with keys that are awkward in an address."""
    keys = itertools.product(
        people, ["", "mobile", "web"], ["", "M-PESA", "A&B =+ “Bank”"], ["", "KES", "USD"]
    )
    for number, (person, channel, network, code) in enumerate(keys):
        for state, verdict, _ in ENTRIES[number % 4 :: 2]:
            row(
                person,
                state,
                str(number + 1),
                created_at=NOON,
                transaction_date=NOON - timedelta(days=number % 2),
                channel=channel,
                network=network,
                currency_code=code,
                settled_as=verdict,
            )
    row(people[0], created_at=NOON - timedelta(days=1))
    row(people[0], created_at=NOON, app_id="ghana")


@pytest.mark.parametrize("by", ["", "transactionDate"])
def test_each_figure_leads_to_exactly_its_entries(
    support: User, manager: User, client_of: ClientOf, by: str
) -> None:
    a_busy_day(support, manager)
    desk = client_of(manager)
    page = text_of(desk.get(f"{DAY}?date=2026-03-10&by={by}"))
    links = re.findall(r'<a href="(/apps/kenya/repayments/\?[^"]+)">(\d+)</a>', page)
    assert len(links) > 60
    for address, figure in links:
        journal = text_of(desk.get(address))
        assert "errorlist" not in journal
        found = re.search(r"of (\d+)</span>", journal)
        assert found and found[1] == figure, address
    seen = Repayment.objects.filter(book.between(THAT_DAY, THAT_DAY, by, KENYA.zone))
    till_links = [int(figure) for address, figure in links if "person" not in address]
    entered = [int(x) for a, x in links if "person" not in a and "state" not in a]
    assert sum(entered) == seen.filter(app_id="kenya").count()
    assert sum(till_links) == 2 * sum(entered)  # each entry once more, under its standing


@pytest.mark.parametrize("role", ["viewer", "officer", "support", "manager"])
def test_statements_are_for_support_and_managers(
    people: dict[str, User], client_of: ClientOf, role: str
) -> None:
    browser, may = client_of(people[role]), role in ("support", "manager")
    assert browser.get(DAY).status_code == (200 if may else 403)
    assert browser.get(f"{DAY}export.csv").status_code == (200 if may else 403)
    for page in ("/apps/kenya/", "/apps/kenya/repayments/"):
        assert (f'href="{DAY}"' in text_of(browser.get(page))) is may


def test_who_may_not_export_gets_no_csv(support: User, client_of: ClientOf) -> None:
    group = support.groups.get()
    group.permissions.remove(group.permissions.get(codename="export"))
    desk = client_of(support)
    assert "export.csv" not in text_of(desk.get(DAY))
    assert desk.get(f"{DAY}export.csv").status_code == 403


def test_an_empty_day_and_an_app_without_repayments(support: User, client_of: ClientOf) -> None:
    desk = client_of(support)
    page = text_of(desk.get(DAY))
    assert "Nothing was entered on this day" in page
    assert "Nairobi time" in page
    assert "the day is not over" in page
    assert 'rel="next"' not in page
    assert exported(desk, "") == []
    assert "Accra time" in text_of(desk.get("/apps/ghana/repayments/day/"))
    assert desk.get("/apps/nowhere/repayments/day/").status_code == 404
    assert "No repayment of this day" in text_of(desk.get(f"{DAY}?by=transactionDate"))


def test_today_is_the_lender_s(
    support: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 22:30 UTC it is tomorrow in Nairobi."""
    late = datetime(2026, 3, 10, 22, 30, tzinfo=UTC)
    row(support, created_at=late, amount="41")
    monkeypatch.setattr(timezone, "now", lambda: late)
    page = text_of(client_of(support).get(DAY))
    assert "Day's end, 11 Mar 2026" in re.sub(r"<[^>]+>", "", page)
    assert "41.00" in page
    assert "?date=2026-03-10&by=" in page


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ("?date=yesterday", "date", "Enter a valid date."),
        ("?date=2026-02-30", "date", "Enter a valid date."),
        ("?date=0001-01-01", "date", "Give a year between 1900 and 9998."),
        ("?date=9999-12-31", "date", "Give a year between 1900 and 9998."),
        ("?by=moon", "by", "Select a valid choice."),
        ("?date=2026-03-10%00", "date", "Enter a valid date."),
    ],
)
def test_bad_input_is_answered_beside_its_field(
    support: User, client_of: ClientOf, query: str, field: str, message: str
) -> None:
    desk = client_of(support)
    answer = desk.get(DAY + query)
    page = text_of(answer)
    assert answer.status_code == 200
    beside = re.search(rf'<ul class="errorlist" id="id_{field}_error".*?</ul>', page, re.DOTALL)
    assert beside and message in beside[0]
    assert "<table" not in page
    assert desk.get(f"{DAY}export.csv{query}").status_code == 302


@pytest.mark.parametrize(("query", "missing"), [("1900-01-01", "prev"), ("9998-12-31", "next")])
def test_the_ends_of_the_calendar(
    support: User, client_of: ClientOf, query: str, missing: str
) -> None:
    answer = client_of(support).get(f"{DAY}?date={query}")
    assert answer.status_code == 200
    assert f'rel="{missing}"' not in text_of(answer)


def test_what_is_uncertain_is_said_to_be_so(support: User, client_of: ClientOf) -> None:
    row(support, State.UNKNOWN, "500", created_at=NOON)
    row(support, State.NO_TRACE, "250.50", created_at=NOON)
    row(support, State.INFERRED, "10", created_at=NOON)
    page = text_of(client_of(support).get(f"{DAY}?date=2026-03-10"))
    assert "2 (KES 750.50) may or may not be at the service." in page
    assert "1 of those landed is only probably recorded." in page


def test_the_csv_names_its_day_and_is_harmless(support: User, client_of: ClientOf) -> None:
    row(support, State.RECORDED, "100.50", created_at=NOON, network="=1+1")
    row(support, State.UNKNOWN, "2", created_at=NOON, network="=1+1")
    row(support, State.RECORDED, "3", created_at=NOON, network="=1+1", currency_code="USD")
    first, second = exported(client_of(support), "?date=2026-03-10")
    assert first == {
        "day": "2026-03-10",
        "zone": "Africa/Nairobi",
        "dayOf": "entry",
        "person": "support",
        "channel": "not given",
        "network": "'=1+1",
        "currencyCode": "KES",
        "entered": "2",
        "landed": "1",
        "landedSum": "100.5",
        "inferred": "0",
        "unknown": "1",
        "unknownSum": "2",
        "refused": "0",
        "notSent": "0",
        "settledAsNotRecorded": "0",
    }
    assert (second["currencyCode"], second["landedSum"]) == ("USD", "3")
    entry = Entry.objects.get(action="dashboard.export")
    assert (entry.subject, entry.app_id) == ("day's end", "kenya")


def test_a_day_costs_one_query(
    support: User, manager: User, django_assert_num_queries: Any
) -> None:
    a_busy_day(support, manager)
    with django_assert_num_queries(1):
        assert len(dayend.lines(KENYA, THAT_DAY)) == 36


def test_the_desk_keeps_currencies_apart(support: User, client_of: ClientOf) -> None:
    row(support, amount="10")
    row(support, amount="7", currency_code="USD")
    page = text_of(client_of(support).get("/apps/kenya/"))
    figures = page.partition("Recorded here today")[2].partition("</dd>")[0]
    assert "KES 10.00" in figures and "USD 7.00" in figures
