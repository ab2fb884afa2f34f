"""The portfolio: what the home page shows of a count, per role, and the loans behind it."""

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.desk.portfolio import snapshot_job, tasks
from lendingadmin.desk.portfolio.loan_list_form import KINDS, find_kind, write_performance
from lendingadmin.desk.portfolio.models import Snapshot
from tests.conftest import ClientOf
from tests.policies.setting import set_words
from tests.portfolio.conftest import HOME, LISTS, counted, mark, read_page, read_summary, words
from tests.portfolio.service import BookService, loan

pytestmark = pytest.mark.django_db
State = Snapshot.State
COUNT_BUTTON = f'action="{HOME}book/count"'


def links(html: str) -> set[str]:
    return {unescape(one) for one in re.findall(rf'href="({LISTS}[^"]+count=[^"]+)"', html)}


def address_of(row: Snapshot, by: str) -> str:
    """The address of the list behind a figure of a count."""
    return f"{LISTS}?{urlencode({'show': f'figure-{by}', 'count': row.pk})}"


def sum_of(client: Client, address: str, of: str = "outstanding") -> tuple[Decimal, int]:
    """What the list at an address says a column adds up to, and how many loans it has."""
    foot = read_page(client, address).partition("<tfoot>")[2]
    loans = re.search(r">([\d,]+) loans? \(KES\)", foot)
    found = re.search(rf'data-sum="{of}">(−?[\d,.]+)', foot)
    assert loans and found, address
    return Decimal(found[1].replace(",", "").replace("−", "-")), int(loans[1].replace(",", ""))


def test_before_the_first_count_it_says_what_happens(
    service: BookService, client_of: ClientOf, people: dict[str, User], settings: Any
) -> None:
    html = read_page(client_of(people["manager"]))
    assert mark("uncounted") in html and COUNT_BUTTON in html
    assert mark("by-itself") not in html and "by itself" not in words(html)
    settings.SNAPSHOT_EVERY = timedelta(hours=6)
    html = read_page(client_of(people["viewer"]))
    assert mark("by-itself") in html and COUNT_BUTTON not in html
    # Nothing shows otherwise that there is no worker.
    assert mark("begins-soon") in html
    assert service.pages == 0


@pytest.mark.parametrize("role", ["viewer", "manager"])
def test_each_role_sees_the_figures(
    role: str, service: BookService, client_of: ClientOf, people: dict[str, User]
) -> None:
    counted()
    client = client_of(people[role])
    text = words(read_page(client))
    summary = read_summary(client)
    assert "loans updated just now" in text and summary.snapshot.loans_read == 5
    assert [tile.amount for tile in summary.tiles] == [300, 25, None]
    assert "KES 300.00 on 5 open loans open by status word" in text
    assert "KES 25.00 on 5 open loans, 8.33 % of the outstanding amount" in text
    assert (COUNT_BUTTON in read_page(client)) is (role != "viewer")
    for address in links(read_page(client)):
        assert client.get(address).status_code == 200, address
    assert service.pages == 3


def test_every_figure_leads_to_loans_that_add_up_to_it(desk: Client, service: BookService) -> None:
    service.loans = [
        loan(0),
        loan(1, schedule={"daysLate": 31}, performanceStatus=2),
        loan(2, schedule={"daysLate": 95}, performanceStatus=77),
        loan(3, performanceStatus=None, startDate=f"{timezone.now():%Y-%m}-01T00:00:00.000Z"),
        loan(4, balances={"repayment": None}),
    ]
    counted()
    service.loans[0]["balances"]["repayment"]["paid"] += Decimal("7.50")
    last = counted()
    html = read_page(desk)
    text = words(html)
    figures = ["outstanding", "overdue", "paid", "principal_outstanding"]
    figures += [f"par{days}" for days in (1, 30, 60, 90)]
    month = f"{timezone.now():%Y-%m}"
    figures += [f"month:{month}", "performance:77", "performance:", "untold:overdue"]
    assert links(html) >= {address_of(last, by) for by in figures}
    assert sum_of(desk, address_of(last, "outstanding")) == (240, 4)
    assert sum_of(desk, address_of(last, "par30"), "principal_outstanding") == (100, 2)
    assert sum_of(desk, address_of(last, f"month:{month}"), "principal") == (90, 1)
    assert sum_of(desk, address_of(last, "performance:77")) == (60, 1)
    assert sum_of(desk, address_of(last, "performance:")) == (60, 1)
    paid = address_of(last, "paid")
    assert sum_of(desk, paid, "paid_since_last") == (Decimal("7.50"), 1)
    summary = read_summary(desk)
    par30 = summary.at_risk.items[1]
    assert (par30.note, par30.value) == ("KES 100.00", "50 %") and par30.label in text
    kinds = {one.label for one in summary.performance.items}
    assert kinds == {write_performance(key) for key in ("1", "2", "77", "")}
    assert all(kind in text for kind in kinds)
    lacking = read_page(desk, address_of(last, "untold:overdue"))
    title = find_kind("figure-untold:overdue").title  # type: ignore[union-attr]
    assert title in lacking
    assert "L-004" in lacking and "L-001" not in lacking


def test_a_loan_that_is_not_open_is_in_no_list_of_what_is_open(
    desk: Client, service: BookService
) -> None:
    late = {"schedule": {"daysLate": 95}}
    service.loans = [
        loan(0, schedule={"daysLate": 30}),
        loan(1, schedule={"daysLate": 31}),
        loan(2, status=1, **late),
        loan(3, status=3, **late),
        loan(4, status=1, balances=None, **late),
    ]
    row = counted()
    html = read_page(desk)
    text = words(html)
    summary = read_summary(desk)
    assert summary.tiles[0].amount == 120 and "KES 120.00 on 2 open loans" in text
    assert [item.note for item in summary.at_risk.items[:2]] == ["KES 100.00", "KES 50.00"]
    assert " on 1 loan more than 30 days late" in summary.at_risk.items[1].words
    assert summary.at_risk.items[1].words in html
    for by in ("outstanding", "overdue", "principal_outstanding", "performance:1", "par1", "par30"):
        shown = read_page(desk, address_of(row, by))
        kind = find_kind(f"figure-{by}")
        assert kind and f'<h1 id="title"><bdi>{kind.title}</bdi>' in shown
        expected = {"L-001"} if by == "par30" else {"L-000", "L-001"}
        assert set(re.findall(r"/loans/(L-\d+)/", shown)) == expected, by
    arrears = html.partition('id="arrears-title"')[2].partition('id="months-title"')[0]
    assert set(re.findall(r"/loans/(L-\d+)/", arrears)) == {"L-000", "L-001"}
    assert "untold" not in arrears
    # What began and what was paid is of closed loans too.
    assert "L-003" in read_page(desk, address_of(row, "month:2026-06"))


@pytest.mark.parametrize(
    ("statuses", "status_words", "beside"),
    [
        ((2, 2), {"2": "open"}, "open by status word"),
        ((2, 2), {}, "open by settlement date, result and start"),
        (
            (2, 7),
            {"2": "open"},
            "open by status word, or for 1 loan without a status word: settlement date, result and "
            "start",
        ),
    ],
)
def test_by_what_a_loan_counted_as_open_stands_beside_each_figure(
    statuses: tuple[int, int],
    status_words: dict[str, str],
    beside: str,
    desk: Client,
    service: BookService,
    settings: Any,
) -> None:
    set_words(loan=status_words)
    service.loans = [loan(number, status=status) for number, status in enumerate(statuses)]
    counted()
    html = read_page(desk)
    tiles = html.partition('<dl class="card facts">')[2].partition("</dl>")[0].split("</dd>")
    at_risk, kinds = (
        html.partition(f'id="{name}-title"')[2].partition("</section>")[0]
        for name in ("par", "kinds")
    )
    told = [words(one).count(beside) for one in (*tiles, at_risk, kinds)]
    assert told == [one.count("data-opened-by") for one in (*tiles, at_risk, kinds)]
    assert told == [1, 1, 0, 0, 1, 1] and words(html).count(beside) == 4


def test_without_status_words_the_dates_and_the_result_decide(
    desk: Client, service: BookService, settings: Any
) -> None:
    set_words(loan={})
    service.loans = [
        loan(0),
        loan(1, settlementDate="2026-11-01T00:00:00.000Z"),
        loan(2, result={"type": "written_off"}),
        loan(3, startDate=(timezone.now() + timedelta(days=2)).isoformat()),
    ]
    row = counted()
    assert dict(row.loans.values_list("account_id", "is_open")) == {
        "L-000": True,
        "L-001": False,
        "L-002": False,
        "L-003": False,
    }
    assert sum_of(desk, address_of(row, "outstanding")) == (60, 1)


def test_words_of_the_settings(desk: Client, service: BookService, settings: Any) -> None:
    set_words(performance={"1": "performing"})
    row = counted()
    assert "performing" in words(read_page(desk))
    title = find_kind("figure-performance:1").title  # type: ignore[union-attr]
    assert "performing" in title and title in read_page(desk, address_of(row, "performance:1"))


def test_a_list_is_in_order_and_paged(desk: Client, service: BookService) -> None:
    service.size = 1000
    service.loans = [loan(n) for n in range(120)]
    service.loans[77]["balances"] = {"repayment": {"overdue": Decimal("99.00"), "unpaid": 100}}
    row = counted()
    address, seen = address_of(row, "overdue"), []
    while address:
        html, last = read_page(desk, address), address
        seen += re.findall(r'href="/apps/kenya/loans/(L-\d+)/', html)
        following = re.search(r'href="([^"]+)" rel="next"', html)
        address = unescape(following[1]) if following else ""
    assert seen[0] == "L-077"
    assert sorted(seen) == [f"L-{n:03}" for n in range(120)]
    assert "before=" in last and sum_of(desk, last, "overdue") == (694, 120)


def test_without_a_figure_the_list_of_a_count_is_that_of_its_open_loans_to_its_end(
    desk: Client, service: BookService
) -> None:
    service.size = 1000
    service.loans = [loan(n) for n in range(60)]
    row = counted()
    html = read_page(desk, f"{LISTS}?count={row.pk}")
    following = re.search(r'href="([^"]+)" rel="next"', html)
    assert following
    assert sum_of(desk, unescape(following[1])) == (3600, 60)


def test_how_late_the_largest_arrears_are(desk: Client, service: BookService) -> None:
    service.loans = [loan(0, schedule={"daysLate": 1}), loan(1, schedule={"daysLate": -3})]
    counted()
    text = words(read_page(desk))
    assert re.findall(r"(L-\d+)( 1 day late)? KES", text) == [
        ("L-000", " 1 day late"),
        ("L-001", ""),
    ]


def test_a_book_of_which_the_service_tells_nothing(desk: Client, service: BookService) -> None:
    nothing = {"balances": None, "schedule": None, "loanAmount": None, "startDate": None}
    service.loans = [loan(n, performanceStatus=None, **nothing) for n in range(3)]
    counted(), counted()
    html = read_page(desk)
    text = words(html)
    # What nobody told is neither nothing nor zero.
    summary = read_summary(desk)
    assert "KES 0" not in words(html.partition('id="months-title"')[0])
    assert (summary.arrears, summary.arrears_untold) == ([], 3)
    assert html.count(mark("not-reported")) == 3
    assert [tile.amount for tile in summary.tiles] == [None, None, None]
    assert text.count("— not reported by the service") == 3
    assert "3 loans without this figure" in text
    for address in links(html):
        assert desk.get(address).status_code == 200, address


def test_what_is_not_told_any_more_is_not_shown_as_it_was(
    desk: Client, service: BookService
) -> None:
    counted()
    service.loans = [loan(n, balances=None) for n in range(3)]
    counted()
    outstanding = read_page(desk).partition('<figure class="trend">')[2].partition("<details>")[0]
    assert mark("not-reported") in outstanding and "KES" not in words(outstanding)


def test_an_empty_book_is_nothing_owed(desk: Client, service: BookService) -> None:
    service.loans = []
    counted(), counted()
    html = read_page(desk)
    summary = read_summary(desk)
    assert summary.tiles[0].amount == 0 and "KES 0.00 on 0 open loans" in words(html)
    assert html.count(mark("zero")) == 2 and html.count(mark("first")) == 1
    assert (summary.arrears, summary.arrears_untold) == ([], 0)
    for address in links(html):
        assert desk.get(address).status_code == 200, address


@pytest.mark.parametrize("by", ["nothing", "month:2026-13", "performance:\x00"])
def test_an_address_that_names_no_figure_shows_none(
    by: str, desk: Client, service: BookService
) -> None:
    answer = desk.get(address_of(counted(), by))
    assert answer.status_code == 200
    assert answer.context["found"].title == KINDS[""].title


@pytest.mark.parametrize("place", ["-1", "x", "99999999", "9" * 30, "\x00"])
def test_a_place_that_is_none_is_the_first(place: str, desk: Client, service: BookService) -> None:
    html = read_page(desk, f"{address_of(counted(), 'outstanding')}&{urlencode({'before': place})}")
    assert len(re.findall(r'href="/apps/kenya/loans/(L-\d+)/', html)) == 5


def test_a_count_that_is_not_kept_or_not_whole(desk: Client, service: BookService) -> None:
    row = counted()
    gone = desk.get(f"{LISTS}?count={row.pk + 1}")
    assert gone.status_code == 404
    assert "portfolio/gone.html" in [one.name for one in gone.templates]
    assert desk.get(f"{LISTS}export.csv?count={row.pk + 1}").status_code == 302
    assert desk.get(f"/apps/ghana/loans/lists/?count={row.pk}").status_code == 404
    Snapshot.objects.update(state=State.FAILED)
    assert desk.get(f"{LISTS}?count={row.pk}").status_code == 404


def test_home_asks_the_database_little_and_the_service_nothing(
    desk: Client, service: BookService
) -> None:
    for _ in range(3):
        counted()
    before = service.server.hits()
    read_page(desk)
    with CaptureQueriesContext(connection) as made:
        read_page(desk)
    of_book = [one["sql"] for one in made if "portfolio_snapshot" in one["sql"]]
    assert len(of_book) == 4, of_book
    address = address_of(Snapshot.objects.latest("id"), "par1")
    read_page(desk, address)
    with CaptureQueriesContext(connection) as made:
        read_page(desk, address)
    of_list = [one["sql"] for one in made if "portfolio_snapshot" in one["sql"]]
    assert len(of_list) == 2, of_list
    assert service.server.hits() == before


def test_trends_show_from_the_second_count_on(desk: Client, service: BookService) -> None:
    row = counted()
    Snapshot.objects.filter(pk=row.pk).update(ended_at=timezone.now() - timedelta(hours=41))
    assert mark("first") in read_page(desk)
    for ago in range(40, 0, -1):
        row = counted()
        Snapshot.objects.filter(pk=row.pk).update(ended_at=timezone.now() - timedelta(hours=ago))
    html = read_page(desk)
    series = read_summary(desk).series
    assert [len(one.rows) for one in series] == [31] * 3 and series[0].described in html
    assert html.count("<path") >= 3


def test_a_count_that_failed_leaves_the_last_good_one(desk: Client, service: BookService) -> None:
    counted()
    Snapshot.objects.update(ended_at=timezone.now() - timedelta(minutes=12))
    row = tasks.start("kenya", None)
    snapshot_job.CountWalk(row).end(State.FAILED, "The lending service had a fault.")  # type: ignore[arg-type]
    html = read_page(desk)
    text = words(html)
    assert f"<p {mark('failed')}>The lending service had a fault.</p>" in html
    assert "KES 300.00 on 5 open loans open by status word" in text
    assert read_summary(desk).tiles[0].amount == 300 and "loans updated 12 min ago" in text
    assert COUNT_BUTTON in html
