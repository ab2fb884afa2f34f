"""What is found before an event is sent, rule by rule."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from lendingadmin.records.events import checking
from lendingadmin.records.events.checking import check_event, months_before
from lendingadmin.records.events.kinds import add_domain, find_kind, split_domain
from tests.events.samples import DOMAIN, FINDINGS, NOW, STAMP, WHEN, body, data, ms


def with_value(kind: str, **fields: Any) -> dict[str, Any]:
    """An event with one value of a kind, some of its fields replaced."""
    good = next(entry for entry in data() if entry["kind"] == f"{DOMAIN}/{kind}")
    return body(data=[{"kind": good["kind"], "values": [good["values"][0] | fields]}])


def test_a_good_event_has_no_findings() -> None:
    found = check_event(body(), NOW)
    assert (found.errors, found.warnings) == ([], [])
    assert [(part.kind, part.values) for part in found.parts] == [
        ("sms", 2),
        ("contact", 1),
        ("device/battery", 2),
        ("device/location", 1),
        ("device/app", 1),
    ]
    assert found.parts[0].first == WHEN - timedelta(minutes=2)
    assert found.parts[0].last == WHEN - timedelta(minutes=1)
    assert found.parts[1].first is None


@pytest.mark.parametrize(
    ("kind", "field", "wrong"),
    [
        ("sms", "address", 1),
        ("sms", "direction", True),
        ("sms", "smsId", 7),
        ("sms", "read", 2),
        ("sms", "read", "yes"),
        ("sms", "timestamp", "2026-01-01"),
        ("sms", "timestamp", Decimal("1.5")),
        ("sms", "timestamp", True),
        ("sms", "timestamp", 10**40),
        ("sms", "rawBody", None.__class__.__name__.encode()),
        ("contact", "name", 1),
        ("contact", "primaryAddress", "+254"),
        ("contact", "primaryAddress", {"addressName": 1}),
        ("contact", "otherAddresses", {"addressName": "x"}),
        ("contact", "otherAddresses", [1]),
        ("device/battery", "level", "81"),
        ("device/battery", "level", False),
        ("device/battery", "isCharging", 1),
        ("device/battery", "chargingMethod", 1),
        ("device/location", "latLng", [1, 2]),
        ("device/app", "package", 1),
        ("device/app", "label", {}),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error_that_names_the_field(
    kind: str, field: str, wrong: object
) -> None:
    found = check_event(with_value(kind, **{field: wrong}), NOW)
    told = FINDINGS["wrong"].format(kind=kind, field=field)
    assert any(told in words for words in found.errors), found.errors


@pytest.mark.parametrize(
    ("kind", "field", "right"),
    [("sms", "read", 1), ("sms", "read", False), ("device/battery", "level", Decimal("0.5"))],
)
def test_what_the_spec_allows_is_let_through(kind: str, field: str, right: object) -> None:
    assert check_event(with_value(kind, **{field: right}), NOW).errors == []


def test_seconds_are_told_from_milliseconds() -> None:
    found = check_event(with_value("sms", timestamp=int(WHEN.timestamp())), NOW)
    assert any(FINDINGS["seconds"] in words for words in found.errors)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"accountId": "b"}, FINDINGS["account"]),
        ({"accountId": ":b"}, FINDINGS["account"]),
        ({"accountId": None}, FINDINGS["account"]),
        ({"eventType": "personal_data.received"}, "personal_data.captured"),
        ({"timestamp": "2026-01-01T00:00:00"}, checking.NO_TIME),
        ({"timestamp": None}, checking.NO_TIME),
        ({"data": []}, FINDINGS["no sets"]),
        ({"data": {}}, FINDINGS["no sets"]),
        ({"data": [1]}, FINDINGS["set"]),
        ({"data": [{"kind": "x/steps", "values": []}]}, FINDINGS["kind"]),
        ({"data": [{"kind": "sms", "values": [{}]}]}, FINDINGS["domain"]),
        ({"data": [{"kind": "x/sms", "values": {}}]}, FINDINGS["values"]),
        ({"data": [{"kind": "x/sms", "values": []}]}, FINDINGS["no values"]),
        ({"category": "sms"}, FINDINGS["kinds"]),
        ({"category": "steps"}, FINDINGS["category"]),
    ],
)
def test_the_rest_of_an_event(change: dict[str, object], words: str) -> None:
    assert any(words in error for error in check_event(body(**change), NOW).errors)


def test_nesting_that_no_page_could_show_is_refused() -> None:
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    assert "nested" in check_event(body(data=deep), NOW).errors[0]


@pytest.mark.parametrize(("spare", "fits"), [(1, True), (0, False)])
def test_five_megabytes_to_the_byte(spare: int, fits: bool) -> None:
    empty = check_event(with_value("sms", rawBody=""), NOW).size
    text = "x" * (checking.TOO_LARGE - empty - spare)
    found = check_event(with_value("sms", rawBody=text), NOW)
    assert found.size == checking.TOO_LARGE - spare
    assert (found.errors == []) == fits


def test_messages_older_than_six_months_are_a_warning() -> None:
    edge = months_before(WHEN, 6)
    assert check_event(with_value("sms", timestamp=ms(edge)), NOW).warnings == []
    found = check_event(with_value("sms", timestamp=ms(edge) - 1), NOW)
    assert found.errors == []
    assert "1 message older than 6 months" in found.warnings[0]


@pytest.mark.parametrize(
    ("when", "before"),
    [
        ((2026, 8, 31), (2026, 2, 28)),
        ((2024, 8, 31), (2024, 2, 29)),
        ((2026, 3, 15), (2025, 9, 15)),
        ((2026, 6, 30), (2025, 12, 30)),
        ((2026, 12, 31), (2026, 6, 30)),
    ],
)
def test_six_months_before(when: tuple[int, int, int], before: tuple[int, int, int]) -> None:
    assert months_before(datetime(*when, tzinfo=UTC), 6) == datetime(*before, tzinfo=UTC)


def test_warnings_leave_the_decision_to_the_service() -> None:
    ahead = body(timestamp=(NOW + timedelta(days=1)).isoformat())
    assert "future" in check_event(ahead, NOW).warnings[0]
    later = check_event(with_value("sms", timestamp=ms(WHEN) + 1), NOW)
    assert any(FINDINGS["later"] in words for words in later.warnings)
    assert any(
        "missing" in words for words in check_event(with_value("sms", address=None), NOW).warnings
    )
    assert any("“x”" in words for words in check_event(with_value("sms", x=1), NOW).warnings)


def test_findings_are_counted_and_quote_no_value() -> None:
    sets = [{"kind": "x/sms", "values": [{"rawBody": 7_654_321}] * 300}]
    found = check_event(body(data=sets), NOW)
    assert found.errors == ["sms: rawBody must be text (300 times, first at set 1, value 1)"]
    assert "7654321" not in str(found)


@pytest.mark.parametrize(
    ("name", "key", "domain"),
    [
        ("lending.example/sms", "sms", "lending.example"),
        ("a/b/device/app", "device/app", "a/b"),
        ("sms", "sms", ""),
        ("/sms", "sms", ""),
        ("xsms", None, ""),
        (7, None, ""),
        (None, None, ""),
    ],
)
def test_kinds_are_told_by_their_ending(name: object, key: str | None, domain: str) -> None:
    kind = find_kind(name)
    assert (kind.key if kind else None, split_domain(name)) == (key, domain)


def test_a_bare_kind_gets_the_domain() -> None:
    assert add_domain("d", "device/app") == "d/device/app"
    assert add_domain("d", "other/sms") == "other/sms"
    assert STAMP.endswith("Z")
