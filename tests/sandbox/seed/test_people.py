"""The seeded borrowers: plausible, varied, and nobody who could be written to."""

import re
from collections import Counter
from datetime import UTC, date, datetime
from typing import Any

import pytest

from lendingadmin.sandbox.seed.book import BORROWERS
from lendingadmin.sandbox.seed.people import build_borrower

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


@pytest.fixture(scope="module", params=tuple(BORROWERS))
def people(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return [build_borrower(request.param, n, NOW) for n in range(BORROWERS[request.param])]


def _details(body: dict[str, Any]) -> dict[str, Any]:
    details: dict[str, Any] = body[body["category"]]
    return details


def test_ids_are_unique_and_some_need_encoding(people: list[dict[str, Any]]) -> None:
    ids = [body["borrowerId"] for body in people]
    assert len(set(ids)) == len(ids)
    assert any(":" in one for one in ids)
    assert any(" " in one for one in ids)
    assert any(not one.isascii() for one in ids)
    assert not any("/" in one for one in ids)  # the sandbox refuses these


def test_they_come_from_several_countries_and_some_write_right_to_left(
    people: list[dict[str, Any]],
) -> None:
    countries = Counter(_details(body)["countryOfResidence"] for body in people)
    assert len(countries) >= 4
    assert countries["EG"] >= 2
    names = " ".join(str(_details(body)) for body in people)
    assert re.search(r"[\u0600-\u06ff]{3}", names)


def test_some_names_are_very_long_and_one_is_empty(people: list[dict[str, Any]]) -> None:
    names = [
        f"{one.get('othernames', '')} {one.get('surname', '')}{one.get('name', '')}".strip()
        for one in map(_details, people)
    ]
    assert sum(len(name) >= 60 for name in names) >= 2
    assert any(_details(body).get("othernames") == "" for body in people)


def test_nobody_bears_the_same_name_twice(people: list[dict[str, Any]]) -> None:
    for body in people:
        given = str(_details(body).get("othernames", "")).split(" ")
        assert len(given) == 1 or given[0] != given[1]


def test_mail_goes_to_example_domains_only(people: list[dict[str, Any]]) -> None:
    for body in people:
        mailbox = _details(body)["emailAddress"]
        assert mailbox is None or re.fullmatch(r"[a-z0-9.]+@example\.(com|org|net)", mailbox)


def test_phones_are_international_numbers(people: list[dict[str, Any]]) -> None:
    for body in people:
        assert re.fullmatch(r"\+\d{11,13}", _details(body)["phoneNumber"])


def test_individuals_are_grown_up(people: list[dict[str, Any]]) -> None:
    for body in people:
        if body["category"] == "individual":
            born = date.fromisoformat(body["individual"]["dateOfBirth"])
            assert 18 <= NOW.year - born.year <= 70


def test_devices_were_seen_before_now_and_one_is_active(people: list[dict[str, Any]]) -> None:
    ids = [device["deviceId"] for body in people for device in body["devices"]]
    assert len(set(ids)) == len(ids) > 0
    for body in people:
        seen = [datetime.fromisoformat(device["createdAt"]) for device in body["devices"]]
        assert all(moment < NOW for moment in seen)
        assert sum(device["active"] for device in body["devices"]) <= 1
