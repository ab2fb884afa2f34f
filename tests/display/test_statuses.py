"""Statuses: word, tone and icon, by tables."""

from decimal import Decimal

import pytest
from heroicons import IconDoesNotExist
from heroicons.templatetags.heroicons import heroicon_micro

from lendingadmin.lending.values import Malformed
from lendingadmin.web.display import statuses
from lendingadmin.web.display.statuses import Status

WORDS = {"1": "pending", "2": "open", "3": "closed", "9": "frozen by court"}
TONES = {"", "good", "info", "warn", "bad", "odd"}


@pytest.mark.parametrize(
    ("value", "word", "tone"),
    [
        (Decimal(1), "pending", ""),
        (Decimal(2), "open", "info"),
        (Decimal("2.0"), "open", "info"),
        (2, "open", "info"),
        ("2", "open", "info"),
        (Decimal(3), "closed", ""),
        (Decimal(9), "frozen by court", ""),
        (Decimal(77), "status 77", ""),
        (Decimal("2.5"), "status 2.5", ""),
        (Decimal(100), "status 100", ""),
        ("open", "open", "info"),
        ("OPEN", "OPEN", "info"),
        ("limbo", "limbo", ""),
        (Malformed([2]), str(Malformed([2])), ""),
    ],
)
def test_numbered(value: object, word: str, tone: str) -> None:
    found = statuses.find_status(value, WORDS)
    assert found is not None
    assert (found.word, found.tone) == (word, tone)


@pytest.mark.parametrize("value", [None, ""])
def test_no_status_has_no_chip(value: object) -> None:
    assert statuses.find_status(value, WORDS) is None
    assert statuses.processing(value) is None
    assert statuses.assessment_type(value) is None


@pytest.mark.parametrize(
    ("value", "is_open"),
    [
        (Decimal(2), True),
        ("2", True),
        ("OPEN", True),
        (Decimal(1), False),
        (Decimal(3), False),
        ("Written off", False),
        ("settled", False),
        # No word, or one that decides nothing.
        (Decimal(9), None),
        (Decimal(77), None),
        ("limbo", None),
        ("", None),
        (None, None),
    ],
)
def test_which_words_say_that_a_loan_is_open(value: object, is_open: bool | None) -> None:
    assert statuses.says_open(value, WORDS) is is_open


@pytest.mark.parametrize(
    ("value", "processing", "assessment_type"),
    [
        (Decimal(0), "not processed", "beta"),
        (Decimal(1), "processed", "available"),
        (Decimal(2), "processed with errors", "deprecated"),
        (Decimal(5), "status 5", "status 5"),
    ],
)
def test_statuses_that_the_spec_names(value: object, processing: str, assessment_type: str) -> None:
    first, second = statuses.processing(value), statuses.assessment_type(value)
    assert first is not None
    assert second is not None
    assert (first.word, second.word) == (processing, assessment_type)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (Decimal(20), "20 days late"),
        (Decimal(1), "1 day late"),
        (Decimal("20.0"), "20 days late"),
        (Decimal("1.5"), "1.5 days late"),
        (Decimal(1200), "1,200 days late"),
    ],
)
def test_days_late(value: object, word: str) -> None:
    assert statuses.days_late(value) == Status(word, "bad", "exclamation-triangle")


@pytest.mark.parametrize("value", [None, Decimal(0), Decimal(-3)])
def test_a_loan_that_is_not_late_says_nothing(value: object) -> None:
    assert statuses.days_late(value) is None


def test_days_late_that_are_no_number_are_said() -> None:
    assert statuses.days_late(Malformed("many")) == Status("days late: many", "odd")


def every_status() -> list[Status]:
    """All statuses that the module can give."""
    named = [Status(word, *rest) for word, rest in statuses._BY_WORD.items()]
    tables = (statuses._PROCESSING, statuses._ASSESSMENT_TYPES)
    return named + [status for table in tables for status in table.values()]


@pytest.mark.parametrize("status", every_status(), ids=lambda status: status.word)
def test_every_status_has_a_word_a_known_tone_and_an_icon_that_exists(status: Status) -> None:
    assert status.word
    assert status.tone in TONES
    try:
        heroicon_micro(status.icon)
    except IconDoesNotExist:
        pytest.fail(f"no icon {status.icon}")
