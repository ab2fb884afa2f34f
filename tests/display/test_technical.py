"""What a page leaves to Technical."""

from decimal import Decimal

import pytest

from lendingadmin.lending.values import Loan, Record
from lendingadmin.web.display.technical import group_by_field, list_places, list_technical

LOAN = {
    "accountId": "L-1",
    "uid": None,
    "loanAmount": Decimal("1000.50"),
    "contract": {"installments": [{"sequenceNo": 1, "late": True}, {"sequenceNo": 2}]},
    "balances": {"fees": {"due": 1, "held": ""}},
}


def pairs(raw: dict[str, object], *shown: str) -> list[tuple[str, str]]:
    return [(leaf.place, leaf.text) for leaf in list_technical(Loan(raw), shown)]


def test_all_that_is_not_shown_is_listed_under_its_place_as_it_came() -> None:
    assert pairs(LOAN) == [
        ("accountId", "L-1"),
        ("loanAmount", "1000.50"),
        ("contract.installments[0].sequenceNo", "1"),
        ("contract.installments[0].late", "true"),
        ("contract.installments[1].sequenceNo", "2"),
        ("balances.fees.due", "1"),
        ("balances.fees.held", '""'),
    ]


def test_what_is_shown_is_left_out_in_every_item_of_a_list_and_with_all_below_it() -> None:
    found = pairs(LOAN, "accountId", "loanAmount", "contract.installments[].sequenceNo", "balances")
    assert found == [("contract.installments[0].late", "true")]


@pytest.mark.parametrize(
    ("value", "listed"),
    [
        (None, [("new", "null")]),
        ({"a": {"b": 1}, "c": [1, None]}, [("new.a.b", "1"), ("new.c", "[1, null]")]),
        ({}, [("new", "{}")]),
        ([{"a": 1}], [("new", '[{"a": 1}]')]),
    ],
)
def test_an_unknown_object_is_listed_by_its_leaves_and_an_unknown_list_whole(
    value: object, listed: list[tuple[str, str]]
) -> None:
    assert pairs({"new": value}) == listed


def test_an_unknown_object_without_end_stays_whole() -> None:
    many: dict[str, object] = {str(key): key for key in range(1000)}
    deep: dict[str, object] = {}
    for _ in range(900):
        deep = {"in": deep}
    assert [leaf.place for leaf in list_technical(Loan({"many": many, "deep": deep}), ())] == [
        "many",
        "deep.in.in.in.in.in.in",
    ]


def test_a_value_of_a_wrong_type_is_listed_even_where_its_page_shows_the_place() -> None:
    assert pairs({"contract": "later", "status": [2]}, "contract", "status") == [
        ("contract", "later"),
        ("status", "[2]"),
    ]


def test_an_unknown_key_that_is_written_like_a_shown_place_is_no_such_place() -> None:
    assert pairs({"contract.amounts.fees": 1}, "contract.amounts.fees") == [
        ("contract.amounts.fees", "1")
    ]


def test_a_long_value_folds_and_an_undocumented_one_is_told_apart() -> None:
    record = {"note": "x" * 200}
    (leaf,) = list_technical(Record(record), (), within="data[0]")
    assert (leaf.place, leaf.is_long, leaf.documented) == ("data[0].note", True, False)
    assert leaf.start == "x" * 80 + "…"
    (own,) = list_technical(Loan({"uid": "u"}), ())
    assert own.documented and not own.is_long


def test_places_are_written_out() -> None:
    assert list_places("terms.fees[]", "kind value") == {"terms.fees[].kind", "terms.fees[].value"}
    assert list_places("", "uid") == {"uid"}


def test_leaves_of_one_field_in_all_items_of_a_list_stand_together() -> None:
    found = group_by_field(list_technical(Loan(LOAN), ("balances", "accountId")))
    assert [(group.place, [(one, leaf.text) for one, leaf in group.leaves]) for group in found] == [
        ("loanAmount", [("", "1000.50")]),
        ("contract.installments[].sequenceNo", [("[0]", "1"), ("[1]", "2")]),
        ("contract.installments[0].late", [("[0]", "true")]),
    ]
