"""What a figure of the portfolio tells of the days before: its line, and its change in a week."""

from datetime import timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.desk.portfolio.dashboard import Tile
from lendingadmin.desk.portfolio.figures import Figures, Sum
from lendingadmin.desk.portfolio.models import FIGURES_VERSION, Snapshot
from lendingadmin.web.display.times import short_contract_day
from tests.portfolio.conftest import HOME, read_page, read_summary

pytestmark = pytest.mark.django_db
ZONE = ZoneInfo("Africa/Nairobi")
NOON = timezone.now().astimezone(ZONE).replace(hour=12, minute=0)


def update(
    days_ago: int,
    amount: str | None,
    *,
    by: str = "outstanding",
    version: int = FIGURES_VERSION,
    hours: int = 0,
    state: str = Snapshot.State.DONE,
) -> Snapshot:
    """An update with one open loan; without an amount the service told nothing of it."""
    at = NOON - timedelta(days=days_ago) + timedelta(hours=hours)
    figures = Figures(at.date(), performance={"1": Sum(Decimal(0), 1)})
    figures.sums[by] = Sum(Decimal(amount or 0), 1 if amount else 0)
    figures.untold = {} if amount else {by: 1}
    return Snapshot.objects.create(
        app_id="kenya",
        state=state,
        figures=figures.as_json(),
        figures_version=version,
        began_at=at,
        ended_at=at,
        has_loans=False,
    )


def on(days_ago: int) -> str:
    return short_contract_day((NOON - timedelta(days=days_ago)).date())


def read_tile(client: Client, at: int = 0) -> Tile:
    return read_summary(client).tiles[at]


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        ("100", "103.2", "+3.2 % "),
        ("100", "75", "−25 % "),
        ("100", "0", "−100 % "),
        ("100000", "100010", "+0.01 % "),
        # A share of nothing, of less than nothing, or a very large or small one would say nothing.
        ("0", "12.5", "+KES 12.50 "),
        ("-40", "10", "+KES 50.00 "),
        ("10", "-40", "KES −50.00 "),
        ("1", "5000", "+KES 4,999.00 "),
        ("100000", "100009.99", "+KES 9.99 "),
        ("1" * 40, f"{'1' * 39}3", "+KES 2.00 "),
    ],
)
def test_a_figure_tells_its_change_in_a_week(
    before: str, now: str, change: str, desk: Client
) -> None:
    update(7, before), update(0, now)
    tile = read_tile(desk)
    assert tile.change.startswith(change) and tile.change.endswith(f" {on(7)}"), tile.change
    assert tile.sparkline and not tile.is_worse
    html = read_page(desk)
    assert html.count("data-change") == 2 and tile.change in html


@pytest.mark.parametrize("amount", ["0", "100", "-3", "9" * 40])
def test_an_equal_figure_has_no_change_and_a_level_line(amount: str, desk: Client) -> None:
    update(7, amount), update(0, amount)
    tile = read_tile(desk)
    assert tile.change.endswith(f" {on(7)}") and "%" not in tile.change and "KES" not in tile.change
    assert tile.sparkline and len({y for _x, y in tile.sparkline.dots}) == 1
    assert tile.sparkline.path == "M0.0 14.0 L100.0 14.0"


@pytest.mark.parametrize(
    ("days", "since"),
    [([0], None), ([0, 5], None), ([0, 9, 12], None), ([0, 6, 9], 6), ([0, 8], 8)],
)
def test_the_change_is_since_about_a_week_ago_or_is_not_told(
    days: list[int], since: int | None, desk: Client
) -> None:
    for ago in reversed(days):
        update(ago, f"{100 - ago}")
    tile = read_tile(desk)
    assert tile.change.endswith(f" {on(since)}") if since else tile.change == ""
    assert (tile.sparkline is None) == (len(days) == 1)
    html = read_page(desk)
    assert html.count('class="chart spark"') == (0 if len(days) == 1 else 2)
    assert html.count('class="chart spark" height="28" aria-hidden="true"') == html.count("spark")


def test_a_line_has_the_last_update_of_each_of_fourteen_days(desk: Client) -> None:
    for ago in range(20, -1, -1):
        update(ago, f"{100 - ago}"), update(ago, f"{200 - ago}", hours=1)
    tile = read_tile(desk)
    assert tile.sparkline and tile.sparkline.path.count("L") == 13
    # The highest is the newest.
    assert tile.sparkline.dots == [("100.0", "4.0")]
    assert tile.change.startswith("+3.63 % ")


def test_only_complete_updates_of_the_same_meaning_that_know_the_figure_count(
    desk: Client,
) -> None:
    update(8, "50")
    update(7, "1", version=FIGURES_VERSION - 1)
    update(7, "1", state=Snapshot.State.FAILED)
    update(6, None)
    update(0, "100")
    tile = read_tile(desk)
    assert tile.change.startswith("+100 % ") and tile.change.endswith(f" {on(8)}")
    assert tile.sparkline and tile.sparkline.path.count("L") == 1


def test_a_figure_that_is_not_known_any_more_has_no_change(desk: Client) -> None:
    update(7, "100"), update(1, "120"), update(0, None)
    tile = read_tile(desk)
    assert (tile.amount, tile.change) == (None, "")


@pytest.mark.parametrize(("now", "is_worse"), [("60", True), ("40", False), ("50", False)])
def test_only_more_overdue_is_marked_as_bad(now: str, is_worse: bool, desk: Client) -> None:
    update(7, "50", by="overdue"), update(0, now, by="overdue")
    assert [read_tile(desk, at).is_worse for at in (0, 1)] == [False, is_worse]
    assert ('class="change bad"' in read_page(desk)) == is_worse


def test_the_days_before_take_no_query(desk: Client) -> None:
    def count() -> int:
        desk.get(HOME)
        with CaptureQueriesContext(connection) as made:
            desk.get(HOME)
        return len(made)

    update(0, "1")
    before = count()
    for ago in range(14, -1, -1):
        update(ago, "100")
    assert count() == before
