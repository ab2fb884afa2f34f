"""The pages of end of day: each role, bad input, what each figure leads to, the CSV."""

import csv
import html
import io
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.managers import CHANNELS
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.repayments.views.dayend import COLUMNS
from tests.conftest import ClientOf
from tests.repayments.rows import NOON, a_busy_day, row
from tests.roles import group_of

pytestmark = pytest.mark.django_db
DAY = "/apps/kenya/repayments/day/"
THAT_DAY = date(2026, 3, 10)
NAIROBI = ZoneInfo("Africa/Nairobi")


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def exported(browser: Client, query: str) -> list[dict[str, str]]:
    answer = browser.get(f"{DAY}export.csv{query or '?'}&technical=1")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(text)))


def test_the_csv_has_the_words_of_the_screen(support: User, client_of: ClientOf) -> None:
    row(support, created_at=NOON, channel="physical")
    answer: Any = client_of(support).get(f"{DAY}export.csv?date=2026-03-10")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    (found,) = csv.DictReader(io.StringIO(text), strict=True)
    shown = {column.name: str(column.label) for column in COLUMNS if column.label}
    assert list(found) == list(shown.values())
    assert found[shown["channel"]] == CHANNELS["physical"]


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


@pytest.mark.exhaustive
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
        found = re.search(r'data-field="total">· (\d+)', journal)
        assert found and found[1] == figure, address
    seen = Repayment.objects.on_days(THAT_DAY, THAT_DAY, by, NAIROBI)
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
    group = group_of(support)
    group.permissions.remove(group.permissions.get(codename="export"))
    desk = client_of(support)
    assert "export.csv" not in text_of(desk.get(DAY))
    assert desk.get(f"{DAY}export.csv").status_code == 403


def test_an_empty_day_and_an_app_without_repayments(support: User, client_of: ClientOf) -> None:
    desk = client_of(support)
    page = text_of(desk.get(DAY))
    assert 'data-finding="none-entered"' in page
    assert "Nairobi" in page
    assert 'data-finding="not-over"' in page
    assert 'rel="next"' not in page
    assert exported(desk, "") == []
    assert "Accra" in text_of(desk.get("/apps/ghana/repayments/day/"))
    assert desk.get("/apps/nowhere/repayments/day/").status_code == 404
    assert 'data-finding="none-of-day"' in text_of(desk.get(f"{DAY}?by=transactionDate"))


def test_today_is_the_lender_s(
    support: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 22:30 UTC it is tomorrow in Nairobi."""
    late = datetime(2026, 3, 10, 22, 30, tzinfo=UTC)
    row(support, created_at=late, amount="41")
    monkeypatch.setattr(timezone, "now", lambda: late)
    answer = client_of(support).get(DAY)
    page = text_of(answer)
    assert answer.context["day"] == date(2026, 3, 11)
    heading = page.partition("<h1>")[2].partition("</h1>")[0]
    assert "11 Mar 2026" in re.sub(r"<[^>]+>", "", heading)
    assert "41.00" in page
    assert "?date=2026-03-10&by=" in page


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("?date=yesterday", "date", "invalid"),
        ("?date=2026-02-30", "date", "invalid"),
        ("?date=0001-01-01", "date", "year"),
        ("?date=9999-12-31", "date", "year"),
        ("?by=moon", "by", "invalid_choice"),
        ("?date=2026-03-10%00", "date", "invalid"),
    ],
)
def test_bad_input_is_answered_beside_its_field(
    support: User, client_of: ClientOf, query: str, field: str, code: str
) -> None:
    desk = client_of(support)
    answer = desk.get(DAY + query)
    page = text_of(answer)
    assert answer.status_code == 200
    assert answer.context["form"].has_error(field, code)
    assert f'<ul class="errorlist" id="id_{field}_error"' in page
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
    row(support, RepaymentState.UNKNOWN, "500", created_at=NOON)
    row(support, RepaymentState.NOT_FOUND, "250.50", created_at=NOON)
    row(support, RepaymentState.PRESUMED, "10", created_at=NOON)
    page = text_of(client_of(support).get(f"{DAY}?date=2026-03-10"))
    doubtful = page.partition('data-finding="doubtful" data-count="2"')[2].partition("</p>")[0]
    assert "KES 750.50" in doubtful
    assert 'data-finding="presumed" data-count="1"' in page


def test_the_csv_names_its_day_and_is_harmless(support: User, client_of: ClientOf) -> None:
    row(support, RepaymentState.RECORDED, "100.50", created_at=NOON, network="=1+1")
    row(support, RepaymentState.UNKNOWN, "2", created_at=NOON, network="=1+1")
    row(support, RepaymentState.RECORDED, "3", created_at=NOON, network="=1+1", currency_code="USD")
    first, second = exported(client_of(support), "?date=2026-03-10")
    assert first == {
        "day": "2026-03-10",
        "zone": "Africa/Nairobi",
        "dayOf": "entry",
        "person": "support",
        "channel": "—",
        "network": "'=1+1",
        "currencyCode": "KES",
        "entered": "2",
        "recorded": "1",
        "recordedSum": "100.5",
        "probablyRecorded": "0",
        "needsChecking": "1",
        "needsCheckingSum": "2",
        "refused": "0",
        "notSent": "0",
        "awaitingApproval": "0",
        "resolvedAsNotRecorded": "0",
    }
    assert (second["currencyCode"], second["recordedSum"]) == ("USD", "3")
    entry = Entry.objects.get(action="dashboard.export", outcome="started")
    assert entry.subject and entry.app_id == "kenya"


def test_home_keeps_currencies_apart(support: User, client_of: ClientOf) -> None:
    row(support, amount="10")
    row(support, amount="7", currency_code="USD")
    page = text_of(client_of(support).get("/apps/kenya/"))
    figures = page.partition('id="mine-title"')[2].partition("</dl>")[0]
    assert "KES 10.00" in figures and "USD 7.00" in figures
