"""What is done with values: reckoning, showing, sending back, and writing them to a log."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import simplejson

from lendingadmin.lending.codec import build_json
from lendingadmin.lending.values import (
    Borrower,
    LendingContract,
    Loan,
    Malformed,
    OfferOperation,
    OffersResponse,
    Record,
    moment,
    number,
    status_key,
    text,
    timestamp_text,
)
from tests.lending import shapes
from tests.lending.test_values import NAMES, SHAPES


@pytest.mark.parametrize(
    ("status", "key"),
    [
        (None, ""),
        (2, "2"),
        (Decimal(2), "2"),
        (Decimal("2.0"), "2"),
        (Decimal("2E+1"), "20"),
        (Decimal("2.50"), "2.5"),
        (Decimal("100"), "100"),
        (Decimal("0.00"), "0"),
        (Decimal("-0"), "0"),
        (Decimal("-1"), "-1"),
        ("2", "2"),
        (" open ", "open"),
        (Malformed(True), "true"),
        (Decimal("1E+1000000"), "1E+1000000"),
        (Decimal("NaN"), "NaN"),
    ],
)
def test_a_status_has_one_key_however_it_is_written(status, key):
    assert status_key(status) == key


def test_helpers_give_none_for_what_cannot_be_reckoned_with():
    now = datetime.now(UTC)

    assert number(Decimal("1.5")) == Decimal("1.5")
    assert [number(value) for value in (None, Malformed("1"), "1", 1.5, True)] == [None] * 5
    assert text("a") == "a"
    assert [text(value) for value in (None, Malformed("a"), 1)] == [None] * 3
    assert moment(now) is now
    assert [moment(value) for value in (None, Malformed("now"), "now")] == [None] * 3


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("as received", "as received"),
        (True, "true"),
        (None, "null"),
        (Decimal("1.50"), "1.50"),
        ({"a": [1, Decimal("2.0")], "b": "é"}, '{"a": [1, 2.0], "b": "é"}'),
        pytest.param(10**5000, "int", id="too long to write"),
        ({1, 2}, "set"),
    ],
)
def test_an_odd_value_shows_what_came(raw, shown):
    assert str(Malformed(raw)) == shown


def test_an_odd_value_is_true_empty_and_fixed():
    odd = Malformed("x")

    assert odd
    assert list(odd) == []
    assert {Malformed("x"), odd} == {odd}
    with pytest.raises(AttributeError):
        odd.raw = "y"
    with pytest.raises(AttributeError):
        odd._raw = "y"
    with pytest.raises(AttributeError):
        del odd._raw


def test_a_contract_goes_back_to_the_last_key_and_digit():
    sent = simplejson.dumps(shapes.CONTRACT, use_decimal=True)
    contract = LendingContract(simplejson.loads(sent, use_decimal=True))

    body = build_json({"accountId": "L-2", "contract": contract})

    assert simplejson.dumps(body["contract"], use_decimal=True) == sent


def test_an_offer_summary_is_the_triple_as_it_came():
    offer = OfferOperation(shapes.OFFER).result.response

    assert offer.summary == {
        key: shapes.OFFER["result"]["response"][key]
        for key in ("creditLimit", "products", "interestRateWaiver")
    }
    assert OffersResponse({"creditLimit": None}).summary == {"creditLimit": None}


def test_what_is_sent_is_json_with_decimals():
    odd = Loan({"balances": [1]}).balances

    assert build_json(
        {
            "at": datetime.fromisoformat("2024-05-01T10:00:00.123456+03:00"),
            "day": date(2024, 5, 1),
            "items": (1, Decimal("2.50"), None, True, "x"),
            "odd": odd,
        }
    ) == {
        "at": "2024-05-01T07:00:00.123Z",
        "day": "2024-05-01",
        "items": [1, Decimal("2.50"), None, True, "x"],
        "odd": [1],
    }


@pytest.mark.parametrize("unsendable", [0.1, {"a": [1.5]}, {1: "x"}, {"a": object()}, b"x"])
def test_a_float_and_what_json_lacks_are_never_sent(unsendable):
    with pytest.raises(TypeError):
        build_json(unsendable)


def test_a_time_without_a_zone_is_never_sent():
    with pytest.raises(ValueError, match="zone"):
        timestamp_text(datetime(2024, 5, 1))


@pytest.mark.parametrize(("kind", "shape"), SHAPES, ids=NAMES)
def test_what_people_see_of_a_value_in_a_log_is_its_class_and_id(kind, shape):
    value = kind(shape)
    shown = shape[kind.api_names[kind.id_field]]

    for written in (repr(value), str(value), f"{value}", repr([value])[1:-1]):
        assert written == f"<{kind.__name__} {shown!r}>"


def test_personal_values_show_nothing_at_all():
    borrower = Borrower({**shapes.BORROWER, "borrowerId": {"surname": "WANJIRU"}})

    assert repr(borrower) == "<Borrower>"
    assert repr(borrower.individual) == "<Individual>"
    assert repr(borrower.borrower_id) == "<Malformed dict>"
    assert repr(Record({"id": "WANJIRU"})) == "<Record>"


def test_an_id_in_a_log_can_neither_break_the_line_nor_fill_it():
    written = repr(Loan({"accountId": "a\nFAKE " + "x" * 1000}))

    assert "\n" not in written
    assert len(written) < 120
