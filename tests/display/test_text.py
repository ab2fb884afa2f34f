"""Plain values as text."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from lendingadmin.display import text
from lendingadmin.lending.values import Malformed


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
