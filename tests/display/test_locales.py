"""Numbers, rates and days in the languages of pages and papers, and in any other, by tables."""

from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.lending.values import LendingContract
from lendingadmin.web.display.charts import draw_schedule
from lendingadmin.web.display.durations import duration
from lendingadmin.web.display.money import compact, figure, money
from lendingadmin.web.display.numbers import MINUS, whole
from lendingadmin.web.display.rates import exact_rate, rate
from lendingadmin.web.display.statuses import days_late
from lendingadmin.web.display.times import ago, contract_day, in_days, moment, short_contract_day

NAIROBI = ZoneInfo("Africa/Nairobi")
THIN = "\N{NARROW NO-BREAK SPACE}"
FIXED = "\N{NO-BREAK SPACE}"
DUE = datetime(2026, 10, 31, 23, 59, 59, 999_000, tzinfo=UTC)
AFTERNOON = datetime(2026, 10, 31, 11, 2, 33, tzinfo=UTC)


@pytest.mark.parametrize(
    ("locale", "amount", "percent", "day", "short"),
    [
        ("en", "1,234,567.89", "42.6 %", "31 Oct 2026", "31 Oct"),
        ("sw", "1,234,567.89", "42.6%", "31 Okt 2026", "31 Okt"),
        ("de", "1.234.567,89", f"42,6{FIXED}%", "31. Okt. 2026", "31. Okt."),
        ("fr", f"1{THIN}234{THIN}567,89", f"42,6{FIXED}%", "31 oct. 2026", "31 oct."),
        # Nobody's form is the dashboard's own as far as it can be.
        ("xx-none", "1,234,567.89", "42.6%", "Oct 31, 2026", "Oct 31"),
    ],
)
def test_a_number_a_rate_and_a_day(
    locale: str, amount: str, percent: str, day: str, short: str
) -> None:
    assert figure(Decimal("1234567.89"), "KES", locale) == amount
    assert money(Decimal("-1234567.89"), "KES", locale) == f"KES {MINUS}{amount}"
    assert rate(Decimal("0.4263127"), locale) == percent
    assert contract_day(DUE, NAIROBI, locale) == day
    assert short_contract_day(DUE, NAIROBI, locale) == short
    assert moment(AFTERNOON, NAIROBI, locale) == f"{day}, 14:02"


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        ("4412.5", "KWD", "4.412,500"),
        ("4412", "JPY", "4.412"),
        ("4412.5", "JPY", "4.412,5"),
        ("4412.12345", "KES", "4.412,12345"),
        ("5", "ZZZ", "5,00"),
        ("5", None, "5,00"),
    ],
)
def test_the_currencys_own_decimals_in_german(amount: str, currency: object, text: str) -> None:
    assert figure(Decimal(amount), currency, "de") == text


@pytest.mark.parametrize("odd", [None, "", "a lot", "12.50", True, 12.5, Decimal("NaN")])
def test_what_is_no_amount_shows_as_it_came_everywhere(odd: object) -> None:
    assert figure(odd, "KES", "de") == figure(odd, "KES")
    assert rate(odd, "de") == rate(odd)


def test_counts_spans_and_axes() -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    assert whole(4812, "de") == "4.812"
    assert duration("1001 days", "de") == "143 weeks"
    assert duration("40001 days", "de") == "40.001 days"
    assert ago(datetime(2020, 1, 1, tzinfo=UTC), now, "de") == "2.515 days ago"
    assert in_days(date(2033, 11, 20), now, NAIROBI, "de") == "in 2.557 days"
    assert compact(Decimal(1500), "de") == "1,5K"
    late = days_late(Decimal(1234), "de")
    assert late is not None and late.word == "1.234 days late"
    assert exact_rate(Decimal("0.4263127"), "de") == f"42,63127{FIXED}%"


def test_a_chart_says_exactly_what_its_axis_rounds() -> None:
    step = {"dueDate": "2026-10-31T23:59:59.999Z", "amounts": {"principal": Decimal("1234.56")}}
    contract = LendingContract({"installments": [step]})
    chart = draw_schedule(contract.installments, zone=NAIROBI, currency="KES", locale="de")
    assert chart is not None
    assert [(line.label, line.exact) for line in chart.lines] == [
        ("500", "KES 500,00"),
        ("1K", "KES 1.000,00"),
    ]
    assert chart.bars[0].title == "31. Okt. 2026: 1.234,56 (principal 1.234,56)"
