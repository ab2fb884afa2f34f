"""Plain values as text."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from lendingadmin.lending.values import Malformed
from lendingadmin.web.display import text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "—"),
        ("", "—"),
        ("  ", "—"),
        ("x", "x"),
        (True, "yes"),
        (False, "no"),
        (Decimal("1.50"), "1.50"),
        (0, "0"),
        (Malformed("odd"), "odd"),
    ],
)
def test_shown(value: object, words: str) -> None:
    assert text.shown(value) == words


@pytest.mark.parametrize(
    ("value", "words"), [("reducing_balance", "reducing balance"), (None, "—"), (Malformed(1), "1")]
)
def test_spelled(value: object, words: str) -> None:
    assert text.spelled(value) == words


@pytest.mark.parametrize(
    ("surname", "othernames", "words"),
    [
        ("WANJIRU", "ANNE MARY", "WANJIRU ANNE MARY"),
        (" WANJIRU ", None, "WANJIRU"),
        (None, "ANNE", "ANNE"),
        (None, None, "b-1"),
        ("", " ", "b-1"),
        (Malformed(5), "ANNE", "ANNE"),
    ],
)
def test_person_name(surname: object, othernames: object, words: str) -> None:
    person = SimpleNamespace(surname=surname, othernames=othernames)
    assert text.person_name(person, "b-1") == words


def test_person_name_of_nobody() -> None:
    assert text.person_name(None, None) == "—"
    assert text.person_name(Malformed("x"), "b-1") == "b-1"


@pytest.mark.parametrize(
    ("saved", "verb", "words"),
    [
        ("yes", "saved", "It is saved."),
        ("no", "saved", "Nothing was saved."),
        ("no", "recorded", "Nothing was recorded."),
        ("unknown", "recorded", "Not known yet."),
        ("probably", "recorded", "Probably recorded."),
        ("yes, says a person", "saved", "It is saved, says a person."),
        (
            "no, according to our records",
            "recorded",
            "Nothing was recorded, according to our records.",
        ),
    ],
)
def test_whether_anything_was_saved_is_a_sentence(saved: str, verb: str, words: str) -> None:
    assert text.write_outcome(saved, verb) == words
