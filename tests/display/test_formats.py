"""Who reads: within a request its person, outside nobody, and never somebody else."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from threading import Thread
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.display import formats
from lendingadmin.display.formats import DEFAULT_FORMATS, Formats, use_formats
from lendingadmin.display.templatetags import money, rates, statuses, times

NAIROBI, NEW_YORK = ZoneInfo("Africa/Nairobi"), ZoneInfo("America/New_York")
KAMPALA = ZoneInfo("Africa/Kampala")
GERMAN = Formats("de", NEW_YORK)
# In Nairobi it is the first of November already, in New York still the day before.
EVENING = datetime(2026, 10, 31, 22, 30, 5, tzinfo=UTC)
DUE = datetime(2026, 10, 31, 23, 59, 59, 999_000, tzinfo=UTC)


@pytest.fixture
def german() -> Iterator[None]:
    with use_formats(lambda: GERMAN):
        yield


def test_outside_of_a_request_nobody_reads() -> None:
    assert (formats.locale(), formats.zone()) == DEFAULT_FORMATS == ("en", None)


def test_it_is_over_when_the_request_is_even_by_an_exception() -> None:
    with pytest.raises(ZeroDivisionError), use_formats(lambda: GERMAN):
        assert formats.locale() == "de"
        raise ZeroDivisionError
    assert formats.locale() == "en"


def test_who_reads_is_asked_once_and_only_if_needed() -> None:
    asked: list[int] = []

    def ask() -> Formats:
        asked.append(1)
        return GERMAN

    with use_formats(ask):
        assert asked == []
        assert (formats.locale(), formats.zone()) == GERMAN
    assert asked == [1]


def test_another_thread_reads_for_nobody(german: None) -> None:
    seen: list[str] = []
    thread = Thread(target=lambda: seen.append(formats.locale()))
    thread.start()
    thread.join()
    assert seen == ["en"]


class TestMoments:
    def test_stand_in_the_persons_zone_with_utc_and_the_lenders_time_on_hover(
        self, german: None
    ) -> None:
        assert times.moment(EVENING, NAIROBI) == (
            '<time datetime="2026-10-31T22:30:05+00:00" title="2026-10-31 22:30:05 UTC, '
            '1. Nov. 2026, 01:30 Nairobi time" lang="de">31. Okt. 2026, 18:30</time>'
        )
        assert ">18:30:05</time>" in times.clock(EVENING, NAIROBI)
        assert ">31. Okt. 2026, 18:30:05</time>" in times.second(EVENING, NAIROBI)
        assert times.zone_here(NAIROBI) == "New York time"
        assert times.zones_here(NAIROBI) == (
            '<span class="zone">Nairobi time, yours </span>New York time'
        )

    def test_stand_in_the_lenders_zone_for_who_chose_none(self) -> None:
        assert times.moment(EVENING, NAIROBI) == (
            '<time datetime="2026-10-31T22:30:05+00:00" title="2026-10-31 22:30:05 UTC">'
            "1 Nov 2026, 01:30</time>"
        )
        assert times.zone_here(NAIROBI) == times.zones_here(NAIROBI) == "Nairobi time"

    def test_on_the_same_clock_the_hover_says_utc_only(self) -> None:
        with use_formats(lambda: Formats(zone=KAMPALA)):
            assert 'title="2026-10-31 22:30:05 UTC"' in times.moment(EVENING, NAIROBI)

    def test_where_no_lender_is_at_hand_it_is_utc_or_the_persons(self, german: None) -> None:
        assert ">31. Okt. 2026, 18:30</time>" in times.moment(EVENING, "UTC")
        assert times.zone_here("UTC") == "New York time"

    def test_days_are_the_lenders(self, german: None) -> None:
        assert ">1. Nov. 2026</time>" in times.day(EVENING, NAIROBI)
        assert ">31. Okt. 2026</time>" in times.contract_day(DUE, NAIROBI)
        assert times.day_text(EVENING, NAIROBI) == "1. Nov. 2026"

    def test_what_was_typed_in_the_lenders_zone_is_checked_in_it(self, german: None) -> None:
        assert ">1. Nov. 2026, 01:30</time>" in times.typed_moment(EVENING, NAIROBI)

    def test_a_page_in_english_says_in_which_language_its_months_are(self) -> None:
        shown = {}
        for locale in ("en", "en-IN", "de-CH", "sw-KE"):
            with use_formats(lambda locale=locale: Formats(locale)):
                shown[locale] = [
                    *(write(EVENING, NAIROBI) for write in (times.moment, times.second, times.day)),
                    times.contract_day(DUE, NAIROBI),
                    times.day(date(2026, 10, 31)),
                ]
                # These words are English for everybody.
                assert "lang=" not in times.ago(EVENING)
        for locale in ("de-CH", "sw-KE"):
            assert all(f' lang="{locale}">' in one for one in shown[locale]), shown[locale]
        assert not any("lang=" in one for one in shown["en"] + shown["en-IN"])

    @pytest.mark.parametrize("value", [None, "soon", date(2026, 10, 31)])
    def test_what_is_no_moment(self, german: None, value: object) -> None:
        shown = {None: "—", "soon": "soon"}.get(value, "2026-10-31")  # type: ignore[arg-type]
        assert shown in str(times.moment(value, NAIROBI))


class TestNoFormReachesAnother:
    """What is kept in memory between people is kept by how they read."""

    @pytest.mark.parametrize("turns", [("de", "en", "en-US", "de"), ("en", "de", "en", "en-US")])
    def test_two_people_in_turn(self, turns: tuple[str, ...]) -> None:
        expected = {
            "de": ("31. Okt. 2026", "1.234,00", "1.234 days late"),
            "en": ("31 Oct 2026", "1,234.00", "1,234 days late"),
            "en-US": ("Oct 31, 2026", "1,234.00", "1,234 days late"),
        }
        for locale in turns:
            with use_formats(lambda locale=locale: Formats(locale)):
                day, amount, late = expected[locale]
                assert f">{day}</time>" in times.contract_day(DUE, NAIROBI)
                assert money.figure(Decimal(1234), "KES") == amount
                assert late in statuses.chip(statuses.days_late(Decimal(1234)))


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
        assert rates.rate(Decimal("0.03")) == '<span title="as a fraction 0.03">3 %</span>'
        assert rates.rate_each(Decimal("0.0234567"), "30 days") == (
            '<span title="2.34567 %, as a fraction 0.0234567 in 30 days">2.35 % a month</span>'
        )

    def test_no_rate_has_no_period(self) -> None:
        assert rates.rate(None, "a year") == "—"
        assert rates.rate_each("much", "30 days") == "much"
