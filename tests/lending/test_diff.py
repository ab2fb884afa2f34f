"""What was sent, looked for in what came."""

from decimal import Decimal
from typing import Any

import pytest

from lendingadmin.lending.diff import find_differences


@pytest.mark.parametrize(
    ("sent", "came"),
    [
        ({}, {"uid": "1"}),
        ({"a": 1}, {"a": Decimal("1.00"), "b": 2}),
        ({"startDate": "2026-12-01T03:00:00+03:00"}, {"startDate": "2026-12-01T00:00:00.000Z"}),
        ({"individual": {"surname": "Otieno"}}, {"individual": {"surname": "OTIENO", "sex": None}}),
        ({"devices": [{"deviceId": "d"}]}, {"devices": [{"deviceId": "d", "osName": None}]}),
        ({"settings": {}, "company": None, "labels": []}, {}),
        ({"note": ""}, {"note": None}),
    ],
)
def test_what_the_service_adds_or_writes_its_own_way_is_no_difference(sent: Any, came: Any) -> None:
    assert find_differences(sent, came) == []


@pytest.mark.parametrize(
    ("sent", "came", "places"),
    [
        ({"a": 1}, {}, ["a"]),
        ({"a": 1}, {"a": "1"}, ["a"]),
        ({"a": True}, {"a": 1}, ["a"]),
        ({"a": Decimal("1.10")}, {"a": Decimal("1.1000001")}, ["a"]),
        ({"at": "2026-12-01T00:00:00Z"}, {"at": "2026-12-01T00:00:01Z"}, ["at"]),
        ({"i": {"surname": "A"}}, {"i": {"surname": "B"}}, ["i · surname"]),
        ({"i": {"sex": "f"}}, {"i": {"sex": "F"}}, ["i · sex"]),
        ({"i": {"surname": "A"}}, {"i": None}, ["i"]),
        ({"devices": [1, 2]}, {"devices": [1]}, ["devices"]),
        ({"d": [{"id": 1}, {"id": 2}]}, {"d": [{"id": 1}, {"id": 3}]}, ["d · 2 · id"]),
        ({"labels": []}, {"labels": [1]}, ["labels"]),
    ],
)  # fmt: skip
def test_the_places_that_differ_are_named(sent: Any, came: Any, places: list[str]) -> None:
    assert find_differences(sent, came) == places


def test_no_more_than_a_dozen_places_are_named() -> None:
    assert len(find_differences({str(n): n for n in range(50)}, {})) == 13
