"""The schedule as geometry: it adds up, stays inside its frame, and takes whatever came."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.lending.values import Malformed
from lendingadmin.web.display.charts import Bar, Plot, draw_schedule, list_reported_parts

NAIROBI = ZoneInfo("Africa/Nairobi")


def installment(month: int = 0, **amounts: object) -> SimpleNamespace:
    """An instalment due a number of 30-day months after the end of July 2026."""
    due = datetime(2026, 7, 31, 23, 59, 59, 999_000, tzinfo=UTC) + timedelta(days=30 * month)
    return SimpleNamespace(due_date=due, amounts=SimpleNamespace(**amounts))


def draw(*rows: object, **settings: object) -> Plot:
    chart = draw_schedule(rows, currency="KES", zone=NAIROBI, **settings)  # type: ignore[arg-type]
    assert chart is not None
    return chart


def height(bar: Bar) -> float:
    return sum(float(part.height) for part in bar.segments)


def test_parts_stack_from_the_baseline_up_in_proportion() -> None:
    chart = draw(
        installment(0, principal=Decimal(250), interest=Decimal(100), penalty=Decimal(50)),
        installment(1, principal=Decimal(100), fees=Decimal(100)),
    )
    first, second = chart.bars
    assert [part.kind for part in first.segments] == ["principal", "interest", "penalty"]
    assert [part.kind for part in second.segments] == ["principal", "fees"]
    below = float(chart.baseline)
    for part in first.segments:
        assert float(part.y) + float(part.height) == pytest.approx(below, abs=0.2)
        below = float(part.y)
    assert height(first) == pytest.approx(2 * height(second), abs=0.3)
    assert chart.kinds == ("principal", "interest", "fees", "penalty")


def test_an_amount_below_zero_takes_nothing_off_the_others() -> None:
    honest = draw(installment(0, principal=Decimal(300)), installment(1, principal=Decimal(300)))
    odd = installment(1, principal=Decimal(300), fees=Decimal(-100))
    chart = draw(installment(0, principal=Decimal(300)), odd)
    assert chart.bars[1].segments == honest.bars[1].segments
    assert chart.bars[1].title.startswith("30 Aug 2026: 300.00")


def test_words_of_a_bar() -> None:
    chart = draw(installment(0, principal=Decimal(300), interest=Decimal("100.5")))
    assert chart.bars[0].label == "31 Jul"
    assert chart.bars[0].title == "31 Jul 2026: 400.50 (principal 300.00, interest 100.50)"


@pytest.mark.parametrize(
    ("today", "due", "line"),
    [
        (date(2026, 7, 1), 0, 0),
        (date(2026, 7, 31), 0, 0),
        (date(2026, 8, 1), 1, 1),
        (date(2026, 9, 15), 2, 2),
        (date(2027, 9, 1), 4, 4),
    ],
)
def test_today_stands_between_what_was_due_and_what_is_to_come(
    today: date, due: int, line: int
) -> None:
    chart = draw(*(installment(month, principal=Decimal(5)) for month in range(4)), today=today)
    assert [bar.due for bar in chart.bars] == [True] * due + [False] * (4 - due)
    assert chart.today is not None
    middles = [float(bar.middle) for bar in chart.bars]
    assert sum(1 for middle in middles if middle < float(chart.today)) == line
    assert chart.summary == f"4 instalments, {due} due before today"


def test_without_today_there_is_no_line() -> None:
    assert draw(installment(principal=Decimal(5))).today is None


@pytest.mark.parametrize("count", [1, 2, 8, 36, 120])
@pytest.mark.parametrize(
    ("width", "sizes"), [(240, [""]), (480, ["", "mid"]), (700, ["", "mid", "wide"])]
)
def test_everything_stays_inside_and_captions_do_not_meet(
    count: int, width: int, sizes: list[str]
) -> None:
    rows = [installment(month, principal=Decimal(10**12 + month)) for month in range(count)]
    chart = draw(*rows, today=date(2027, 1, 1))
    for bar in chart.bars:
        assert float(bar.x) >= 0
        assert float(bar.x) + float(bar.width) <= 100
        assert all(0 <= float(part.y) <= chart.height for part in bar.segments)
    shown = [bar for bar in chart.bars if bar.label and bar.size in sizes]
    captions = [float(bar.middle) / 100 * width for bar in shown]
    assert captions
    gaps = [after - before for before, after in pairwise(captions)]
    assert all(gap >= 47 for gap in gaps)
    assert 1 <= len(chart.lines) <= 4


def test_a_schedule_over_years_captions_months_with_their_year() -> None:
    chart = draw(*(installment(month, principal=Decimal(5)) for month in range(24)))
    assert chart.bars[0].label == "Jul 26"


@pytest.mark.parametrize(
    "rows",
    [
        None,
        Malformed("none"),
        [],
        "text",
        5,
        [None, Malformed(1), SimpleNamespace()],
        [SimpleNamespace(due_date=None, amounts=None)],
        [SimpleNamespace(due_date="x", amounts=SimpleNamespace(principal="ten"))],
        [SimpleNamespace(due_date=None, amounts=SimpleNamespace(principal=Decimal(-5)))],
    ],
)
def test_nothing_to_draw_draws_nothing(rows: object) -> None:
    assert draw_schedule(rows) is None


def test_a_broken_instalment_leaves_a_gap_among_the_good_ones() -> None:
    odd = SimpleNamespace(due_date=Malformed("x"), amounts=Malformed("y"))
    chart = draw(installment(0, principal=Decimal(5)), odd, installment(2, principal=Decimal(5)))
    assert [len(bar.segments) for bar in chart.bars] == [1, 0, 1]
    assert chart.bars[1].label == ""


@pytest.mark.parametrize(
    ("amounts", "reported"),
    [
        ({"principal": Decimal(10), "interest": Decimal(0), "fees": None}, ("principal",)),
        ({"principal": Decimal(10), "fees": Decimal("0.01")}, ("principal", "fees")),
        ({"interest": Malformed("n/a")}, ("interest",)),
        ({}, ()),
    ],
)
def test_only_parts_with_an_amount_are_reported(
    amounts: dict[str, object], reported: tuple[str, ...]
) -> None:
    rows = [installment(0, principal=None, interest=Decimal(0)), installment(1, **amounts)]
    assert list_reported_parts(rows) == reported
