"""The values of events, kind by kind (Spec: EntityValueSet)."""

from decimal import Decimal
from typing import Any

import pytest

from lendingadmin.sandbox.rules.entity_values import check_category, read_data
from lendingadmin.sandbox.rules.invalid import Invalid

MOMENT = 1_773_000_000_000
TELEPHONE = {"addressName": "+254700000001", "addressType": "telephone"}
EMAIL = {"addressName": "a@example.com", "addressType": "email"}
WHOLE: dict[str, dict[str, Any]] = {
    "sms": {
        "address": "MPESA",
        "direction": "inbound",
        "smsId": "77",
        "read": True,
        "timestamp": MOMENT,
        "rawBody": "Hello",
    },
    "contact": {"name": "Akinyi", "primaryAddress": TELEPHONE, "otherAddresses": [EMAIL]},
    "device/battery": {
        "timestamp": MOMENT,
        "isCharging": False,
        "chargingMethod": "usb",
        "level": Decimal("73.5"),
    },
    "device/location": {"timestamp": MOMENT, "latLng": "-1.2921,36.8219"},
    "device/app": {
        "timestamp": MOMENT,
        "name": "Wallet",
        "package": "com.example.wallet",
        "label": "Wallet",
    },
}
OPTIONAL = {
    "sms": {"smsId", "read"},
    "contact": {"otherAddresses"},
    "device/battery": {"isCharging", "chargingMethod"},
    "device/location": set(),
    "device/app": {"name", "label"},
}
BY_FIELD = [(kind, field) for kind, value in WHOLE.items() for field in value]


def read(kind: str, value: object) -> Any:
    return read_data([{"kind": f"lending.example/{kind}", "values": [value]}], "data")


@pytest.mark.parametrize("kind", WHOLE)
def test_each_kind_is_kept_whole_and_nothing_else_is(kind: str) -> None:
    (one,) = read(kind, WHOLE[kind] | {"colour": "red"})
    assert one == {"kind": f"lending.example/{kind}", "values": [WHOLE[kind]]}


@pytest.mark.parametrize(("kind", "field"), BY_FIELD)
@pytest.mark.parametrize("absent", [True, False])
def test_a_field_is_needed_unless_optional(kind: str, field: str, absent: bool) -> None:
    value = {name: it for name, it in WHOLE[kind].items() if name != field}
    if not absent:
        value[field] = None
    if field in OPTIONAL[kind]:
        assert read(kind, value)[0]["values"][0][field] is None
    else:
        with pytest.raises(Invalid) as caught:
            read(kind, value)
        assert caught.value.field == f"data[0].values[0].{field}"


@pytest.mark.parametrize(("kind", "field"), BY_FIELD)
@pytest.mark.parametrize("wrong", [[1], {"a": 1}, Decimal(7)], ids=str)
def test_a_field_of_the_wrong_type_is_named(kind: str, field: str, wrong: Any) -> None:
    if field == "level" and wrong == 7:
        wrong = "7"
    with pytest.raises(Invalid) as caught:
        read(kind, WHOLE[kind] | {field: wrong})
    assert caught.value.field.startswith(f"data[0].values[0].{field}")


@pytest.mark.parametrize(
    ("kind", "field", "wrong"),
    [
        ("sms", "direction", "sideways"),
        ("sms", "direction", "Inbound"),
        ("sms", "read", 0),
        ("sms", "read", 2),
        ("sms", "read", "true"),
        ("sms", "timestamp", True),
        ("sms", "timestamp", "1773000000000"),
        ("sms", "timestamp", 1_773_000_000),
        ("sms", "timestamp", 946_684_799_999),
        ("sms", "timestamp", 7_258_118_400_000),
        ("sms", "timestamp", Decimal("1773000000000.5")),
        ("contact", "primaryAddress", "+254700000001"),
        ("contact", "primaryAddress", {"addressName": "x"}),
        ("contact", "primaryAddress", {"addressType": "email"}),
        ("contact", "primaryAddress", EMAIL | {"addressType": "pigeon"}),
        ("contact", "otherAddresses", TELEPHONE),
        ("contact", "otherAddresses", [None]),
        ("device/battery", "isCharging", 1),
        ("device/battery", "level", Decimal("100.1")),
        ("device/battery", "level", -1),
        ("device/battery", "level", True),
        ("device/location", "latLng", "36.8219"),
        ("device/location", "latLng", "1,2,3"),
        ("device/location", "latLng", "90.1,0"),
        ("device/location", "latLng", "0,-180.1"),
        ("device/location", "latLng", "north,east"),
        ("device/location", "latLng", "NaN,0"),
        ("device/location", "latLng", "٣,٤"),
    ],
)
def test_values_that_are_refused(kind: str, field: str, wrong: object) -> None:
    with pytest.raises(Invalid) as caught:
        read(kind, WHOLE[kind] | {field: wrong})
    assert caught.value.field.startswith(f"data[0].values[0].{field}")


@pytest.mark.parametrize(
    ("kind", "field", "right"),
    [
        ("sms", "direction", "outbound"),
        ("sms", "read", False),
        ("sms", "read", 1),
        ("sms", "timestamp", 946_684_800_000),
        ("sms", "timestamp", 7_258_118_399_999),
        ("sms", "timestamp", Decimal("1.773e12")),
        ("sms", "rawBody", ""),
        ("contact", "otherAddresses", []),
        ("device/battery", "level", 0),
        ("device/battery", "level", 100),
        ("device/location", "latLng", "-90, 180"),
    ],
)
def test_values_at_the_edge_are_taken(kind: str, field: str, right: object) -> None:
    assert read(kind, WHOLE[kind] | {field: right})[0]["values"][0][field] == right


def test_the_number_1_stays_a_number() -> None:
    assert read("sms", WHOLE["sms"] | {"read": 1})[0]["values"][0]["read"] is not True


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, "data"),
        ([], "data"),
        (None, "data"),
        ([7], "data[0]"),
        ([{"values": []}], "data[0].kind"),
        ([{"kind": 7, "values": []}], "data[0].kind"),
        ([{"kind": "sms", "values": []}], "data[0].kind"),
        ([{"kind": "/sms", "values": []}], "data[0].kind"),
        ([{"kind": "a/b/sms", "values": []}], "data[0].kind"),
        ([{"kind": "lending.example/fax", "values": []}], "data[0].kind"),
        ([{"kind": "lending.example/sms"}], "data[0].values"),
        ([{"kind": "lending.example/sms", "values": {}}], "data[0].values"),
        ([{"kind": "lending.example/sms", "values": []}] * 2 + [None], "data[2]"),
        ([{"kind": "lending.example/sms", "values": ["x"]}], "data[0].values[0]"),
    ],
)
def test_data_that_is_none_is_named(data: object, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_data(data, "data")
    assert caught.value.field == field


def test_another_service_domain_is_taken_as_it_came() -> None:
    data = [{"kind": "lender.example.org/device/app", "values": []}]
    assert read_data(data, "data") == data


@pytest.mark.parametrize(
    ("category", "kinds", "fits"),
    [
        (None, ["sms", "contact"], True),
        ("sms", ["sms"], True),
        ("sms", ["sms", "sms"], True),
        ("contact", ["contact"], True),
        ("sms", ["sms", "contact"], False),
        ("contact", ["sms"], False),
        ("sms", ["device/app"], False),
    ],
)
def test_a_category_is_for_data_of_one_kind(
    category: str | None, kinds: list[str], fits: bool
) -> None:
    data = [{"kind": f"a.example/{kind}", "values": []} for kind in kinds]
    if fits:
        check_category(category, data)
    else:
        with pytest.raises(Invalid, match=r"^category: "):
            check_category(category, data)
