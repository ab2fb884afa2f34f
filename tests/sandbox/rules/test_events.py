"""What holds for events and for whatever is processed by the clock (Spec: Event; States)."""

from datetime import UTC, datetime, timedelta

import pytest

from lendingadmin.sandbox.rules.events import (
    build_event_id,
    check_past,
    has_errors,
    read_event_type,
)
from lendingadmin.sandbox.rules.ids import read_account_id, write_account_id
from lendingadmin.sandbox.rules.instants import to_millis
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.rules.status import Processing, find_processing

NOW = datetime(2026, 3, 14, 9, tzinfo=UTC)
MS = timedelta(milliseconds=1)


def test_only_the_type_of_the_field_definition_is_taken() -> None:
    assert read_event_type("personal_data.captured", "eventType") == "personal_data.captured"
    for other in ("personal_data.received", "personal_data", "", None):
        with pytest.raises(Invalid, match=r"^eventType: must be personal_data\.captured"):
            read_event_type(other, "eventType")


def test_an_id_follows_from_account_type_and_timestamp_alone() -> None:
    same = build_event_id("borrower:b", "t", NOW)
    assert build_event_id("borrower:b", "t", NOW) == same
    others = {
        build_event_id("borrower:c", "t", NOW),
        build_event_id("borrower:b", "u", NOW),
        build_event_id("borrower:b", "t", NOW + MS),
        build_event_id("borrower:b:t", "", NOW),
    }
    assert len(others | {same}) == 5


@pytest.mark.parametrize(
    ("moments", "wrong"),
    [
        ([[]], False),
        ([[NOW]], False),
        ([[NOW - MS], [NOW]], False),
        ([[NOW + MS]], True),
        ([[NOW], [NOW - MS, NOW + MS]], True),
    ],
)
def test_a_value_of_a_later_moment_is_an_error(moments: list[list[datetime]], wrong: bool) -> None:
    data = [{"values": [{"timestamp": to_millis(one)} for one in some]} for some in moments]
    assert has_errors(data, NOW) is wrong


def test_values_without_a_moment_are_no_errors() -> None:
    assert not has_errors([{"values": [{"name": "Akinyi"}]}], NOW)


@pytest.mark.parametrize(
    ("since_ready", "errors", "state"),
    [
        (-MS, False, Processing.WAITING),
        (-MS, True, Processing.WAITING),
        (0 * MS, False, Processing.DONE),
        (MS, False, Processing.DONE),
        (0 * MS, True, Processing.WITH_ERRORS),
    ],
)
def test_processing_is_by_the_clock(since_ready: timedelta, errors: bool, state: int) -> None:
    assert find_processing(NOW, errors, NOW + since_ready) == state
    assert [int(one) for one in Processing] == [0, 1, 2]


def test_what_is_to_come_is_refused() -> None:
    check_past(NOW, NOW, "timestamp")
    with pytest.raises(Invalid, match=r"^timestamp: "):
        check_past(NOW + MS, NOW, "timestamp")


@pytest.mark.parametrize(
    ("text", "key"), [("borrower:b", "b"), ("borrower:a:b", "a:b"), ("borrower: x", " x")]
)
def test_only_the_first_colon_parts_type_from_id(text: str, key: str) -> None:
    assert read_account_id(text, "accountId") == key
    assert write_account_id(key) == text


@pytest.mark.parametrize("text", ["b", "borrower:", ":b", "Borrower:b", "lender:b", "", None, 7])
def test_an_account_id_that_is_no_borrowers_is_refused(text: object) -> None:
    with pytest.raises(Invalid, match=r"^accountId: "):
        read_account_id(text, "accountId")
