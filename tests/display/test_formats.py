"""Formats: numbers and days by the language of the page, moments in the person's zone."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from threading import Thread
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from lendingadmin.web.display import formats
from lendingadmin.web.display.formats import use_zone
from lendingadmin.web.display.numbers import whole
from lendingadmin.web.display.templatetags import money, rates, statuses, times

NAIROBI, NEW_YORK = ZoneInfo("Africa/Nairobi"), ZoneInfo("America/New_York")
KAMPALA = ZoneInfo("Africa/Kampala")
# In Nairobi it is the first of November already, in New York still the day before.
EVENING = datetime(2026, 10, 31, 22, 30, 5, tzinfo=UTC)
DUE = datetime(2026, 10, 31, 23, 59, 59, 999_000, tzinfo=UTC)


@pytest.fixture
def away() -> Iterator[None]:
    """A person in New York."""
    with use_zone(lambda: NEW_YORK):
        yield


def test_outside_of_a_request_there_is_no_zone() -> None:
    assert (formats.locale(), formats.zone()) == ("en", None)


def test_the_zone_ends_with_the_request_even_by_an_exception() -> None:
    with pytest.raises(ZeroDivisionError), use_zone(lambda: NEW_YORK):
        assert formats.zone() == NEW_YORK
        raise ZeroDivisionError
    assert formats.zone() is None


def test_the_zone_is_read_once_and_only_if_needed() -> None:
    asked: list[int] = []

    def ask() -> ZoneInfo:
        asked.append(1)
        return NEW_YORK

    with use_zone(ask):
        assert asked == []
        assert (formats.zone(), formats.zone()) == (NEW_YORK, NEW_YORK)
    assert asked == [1]


def test_another_thread_has_no_zone(away: None) -> None:
    seen: list[object] = []
    thread = Thread(target=lambda: seen.append(formats.zone()))
    thread.start()
    thread.join()
    assert seen == [None]


class TestMoments:
    def test_stand_in_the_persons_zone_with_utc_and_the_lenders_time_on_hover(
        self, away: None
    ) -> None:
        assert times.moment(EVENING, NAIROBI) == (
            '<time datetime="2026-10-31T22:30:05+00:00" title="2026-10-31 22:30:05 UTC, '
            '1 Nov 2026, 01:30 Nairobi time">31 Oct 2026, 18:30</time>'
        )
        assert ">18:30:05</time>" in times.clock(EVENING, NAIROBI)
        assert ">31 Oct 2026, 18:30:05</time>" in times.second(EVENING, NAIROBI)
        assert times.zone_here(NAIROBI) == "New York time"
        assert times.zones_here(NAIROBI) == (
            '<span class="zone">Nairobi time (lender); yours: </span>New York time'
        )

    def test_stand_in_the_lenders_zone_for_who_chose_none(self) -> None:
        assert times.moment(EVENING, NAIROBI) == (
            '<time datetime="2026-10-31T22:30:05+00:00" title="2026-10-31 22:30:05 UTC">'
            "1 Nov 2026, 01:30</time>"
        )
        assert times.zone_here(NAIROBI) == times.zones_here(NAIROBI) == "Nairobi time"

    def test_on_the_same_clock_the_hover_says_utc_only(self) -> None:
        with use_zone(lambda: KAMPALA):
            assert 'title="2026-10-31 22:30:05 UTC"' in times.moment(EVENING, NAIROBI)

    def test_where_no_lender_is_at_hand_it_is_utc_or_the_persons(self, away: None) -> None:
        assert ">31 Oct 2026, 18:30</time>" in times.moment(EVENING, "UTC")
        assert times.zone_here("UTC") == "New York time"

    def test_days_are_the_lenders(self, away: None) -> None:
        assert ">1 Nov 2026</time>" in times.day(EVENING, NAIROBI)
        assert ">31 Oct 2026</time>" in times.contract_day(DUE, NAIROBI)
        assert times.day_text(EVENING, NAIROBI) == "1 Nov 2026"

    def test_what_was_typed_in_the_lenders_zone_is_checked_in_it(self, away: None) -> None:
        assert ">1 Nov 2026, 01:30</time>" in times.typed_moment(EVENING, NAIROBI)

    @pytest.mark.parametrize("value", [None, "soon", date(2026, 10, 31)])
    def test_what_is_no_moment(self, away: None, value: object) -> None:
        shown = {None: "—", "soon": "soon"}.get(value, "2026-10-31")  # type: ignore[arg-type]
        assert shown in str(times.moment(value, NAIROBI))


@pytest.mark.parametrize("turns", [("fr", "en", "sw", "fr"), ("en", "fr", "en", "sw")])
def test_no_format_is_kept_for_another_language(turns: tuple[str, ...]) -> None:
    expected = {
        "fr": ("31 oct. 2026", "1\u202f234,00"),
        "en": ("31 Oct 2026", "1,234.00"),
        "sw": ("31 Okt 2026", "1,234.00"),
    }
    for language in turns:
        with translation.override(language):
            day, amount = expected[language]
            assert f">{day}</time>" in times.contract_day(DUE, NAIROBI)
            assert money.figure(Decimal(1234), "KES") == amount
            assert whole(1234, language) in statuses.chip(statuses.days_late(Decimal(1234)))


class TestRates:
    @pytest.mark.parametrize(
        ("period", "words"),
        [
            ("30 days", "2.5 % a month"),
            ("365 days", "2.5 % a year"),
            ("7 days", "2.5 % a week"),
            ("1 days", "2.5 % a day"),
            ("90 days", "2.5 % every 3 months"),
            ("14 days", "2.5 % every 2 weeks"),
            ("45 days", "2.5 % every 45 days"),
            # A period that the service did not give is not made up.
            (None, "2.5 %"),
            ("", "2.5 %"),
            ("monthly", "2.5 %"),
            ("0 days", "2.5 %"),
        ],
    )
    def test_with_the_period_that_the_service_gives(self, period: object, words: str) -> None:
        assert f">{words}</span>" in rates.rate_each(Decimal("0.025"), period)

    def test_the_exact_fraction_is_always_on_hover(self) -> None:
        assert rates.rate(Decimal("0.03")) == '<span title="received as 0.03">3 %</span>'
        assert rates.rate_each(Decimal("0.0234567"), "30 days") == (
            '<span title="2.34567 %, received as 0.0234567 for 30 days">2.35 % a month</span>'
        )

    def test_no_rate_has_no_period(self) -> None:
        assert rates.rate(None, "a year") == "—"
        assert rates.rate_each("much", "30 days") == "much"
