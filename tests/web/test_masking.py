"""What of a borrower's record which rights open: the policy as a table, without a page."""

from typing import Any

import pytest

from lendingadmin.core.staff.roles import SEE_CONTACT, SEE_IDENTITY, SEE_NAMES
from lendingadmin.lending.values import Borrower, Device, Individual, LoanSummary, Malformed
from lendingadmin.web.display.technical import Leaf
from lendingadmin.web.masking import (
    FIELDS,
    WHOLE_RECORD,
    find_masked,
    mask_card,
    mask_item,
    mask_leaves,
    mask_record,
    may_edit,
)

NOBODY, SUPPORT = frozenset[str](), frozenset({SEE_NAMES, SEE_CONTACT})

# The place, what stands there, what somebody without rights reads, and which rights open it. ABSENT
# is a place that is left out.
ABSENT = object()
ALL = WHOLE_RECORD
TABLE: list[tuple[str, object, object, frozenset[str]]] = [
    ("borrowerId", "B-1", "B-1", NOBODY),
    ("status", 2, 2, NOBODY),
    ("status", {"by": "Jane"}, "•••", ALL),
    ("individual.surname", "WANJIRU", "W.", frozenset({SEE_NAMES})),
    ("individual.othernames", "Anne mary", "A. M.", frozenset({SEE_NAMES})),
    ("individual.phoneNumber", "+254700000123", "•••123", frozenset({SEE_CONTACT})),
    ("individual.phoneNumber", "0712", "•••", frozenset({SEE_CONTACT})),
    ("individual.phoneNumber", {"home": "+254700000123"}, "•••", ALL),
    ("individual.phoneNumber", None, None, NOBODY),
    ("individual.emailAddress", "anne@example.com", "•••", frozenset({SEE_CONTACT})),
    ("individual.governmentIdNo", "12345678", "•••", frozenset({SEE_IDENTITY})),
    ("individual.dateOfBirth", "1987-03-17", "•••", frozenset({SEE_IDENTITY})),
    ("individual.noOfDependants", 0, "•••", frozenset({SEE_IDENTITY})),
    ("individual.photos", ["a", "b"], "•••", frozenset({SEE_IDENTITY})),
    ("individual.photos", [{"of": "Jane"}], "•••", ALL),
    ("individual.countryOfResidence", "KE", "KE", NOBODY),
    ("individual.nickName", "Anni", ABSENT, ALL),
    ("individual", "Anne, 0712", "•••", ALL),
    ("company.tradingName", "Mama Mboga Ltd", "M. M. L.", frozenset({SEE_NAMES})),
    ("company.mailbox", "a@example.com", "•••", frozenset({SEE_CONTACT})),
    ("company.pin", "P051", ABSENT, ALL),
    ("identity", {"passport": "A1"}, "•••", ALL),
    ("settings", {"timezone": "Africa/Nairobi"}, "•••", ALL),
    ("motherName", "Jane", ABSENT, ALL),
]


def at(record: Any, place: str) -> object:
    for key in place.split("."):
        record = record.get(key, ABSENT)
    return record


@pytest.mark.parametrize(("place", "raw", "masked", "rights"), TABLE)
def test_each_place_is_open_to_its_rights_alone(
    place: str, raw: object, masked: object, rights: frozenset[str]
) -> None:
    record: Any = raw
    for key in reversed(place.split(".")):
        record = {key: record}
    assert at(mask_record(record, NOBODY), place) == masked
    assert find_masked(record, NOBODY) == rights
    assert at(mask_record(record, rights), place) == raw
    for one in rights:
        assert at(mask_record(record, WHOLE_RECORD - {one}), place) == masked
    assert mask_record(record, WHOLE_RECORD) == record
    assert find_masked(record, WHOLE_RECORD) == NOBODY


def test_rows_of_a_list_keep_what_is_harmless() -> None:
    devices = [{"modelNumber": "X", "serialNumber": "S1", "imei": "1"}, "a device in words"]
    masked = mask_record({"devices": devices, "loans": [{"loanId": "1", "of": "Jane"}]}, SUPPORT)
    assert masked["devices"] == [{"modelNumber": "X", "serialNumber": "•••"}, "•••"]
    assert masked["loans"] == [{"loanId": "1"}]


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        (Borrower, FIELDS),
        (Individual, FIELDS["individual"]),
        (Device, FIELDS["devices"].fields),
        (LoanSummary, FIELDS["loans"].fields),
    ],
)
def test_each_field_of_the_spec_has_a_rule(kind: Any, rules: Any) -> None:
    assert set(kind.api_names.values()) <= set(rules)


def test_an_item_that_is_no_record_is_masked_as_a_whole() -> None:
    assert str(mask_item(Malformed("Jane 0712"), SUPPORT)) == "•••"
    assert str(mask_item(Malformed("Jane 0712"), WHOLE_RECORD)) == "Jane 0712"


def test_technical_lists_what_the_spec_names_alone() -> None:
    leaves = [Leaf("uid", "u", documented=True), Leaf("nickName", "Anni"), Leaf("x", "•••", True)]
    assert mask_leaves(leaves, SUPPORT) == leaves[:1]
    assert mask_leaves(leaves, WHOLE_RECORD) == leaves


def test_a_card_holds_nothing_to_compare_without_the_right() -> None:
    card = {"name": "A", "phone": "1", "email_digest": "2", "id_ending": "3", "number": "5"}
    assert mask_card(card, NOBODY) == dict.fromkeys(card, "") | {"number": "5"}
    assert mask_card(card, SUPPORT) == card | {"id_ending": ""}


@pytest.mark.parametrize(
    ("place", "value", "rights"),
    [
        (("individual", "phoneNumber"), "1", {SEE_CONTACT}),
        (("individual", "phoneNumber"), None, {SEE_CONTACT}),
        (("individual", "phoneNumber"), {"home": "1"}, ALL),
        (("individual", "countryOfResidence"), "KE", set()),
        (("settings",), None, ALL),
        (("labels",), {}, ALL),
        (("company", "phoneNumber"), None, ALL),
    ],
)
def test_a_form_has_the_fields_that_the_rights_open(
    place: tuple[str, ...], value: object, rights: set[str]
) -> None:
    assert may_edit(rights, value, *place)
    assert not any(may_edit(WHOLE_RECORD - {one}, value, *place) for one in rights)
