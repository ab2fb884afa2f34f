"""Values read what the spec draws, keep what it does not, and survive what it never would."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from lendingadmin.lending.values import (
    Assessment,
    AssessmentType,
    Borrower,
    Device,
    Event,
    Individual,
    LendingContract,
    Loan,
    Malformed,
    OfferOperation,
    Product,
    Record,
    Value,
    each,
)
from tests.lending import shapes

SHAPES = [
    (Borrower, shapes.BORROWER),
    (Loan, shapes.LOAN),
    (LendingContract, shapes.CONTRACT),
    (Assessment, shapes.ASSESSMENT),
    (AssessmentType, shapes.ASSESSMENT_TYPE),
    (Product, shapes.PRODUCT),
    (Event, shapes.EVENT),
    (OfferOperation, shapes.OFFER),
]
NAMES = [kind.__name__ for kind, _ in SHAPES]


def walk(value):
    """The value and every value, Odd or item within it."""
    yield value
    if isinstance(value, Value):
        for name in value.api_names:
            yield from walk(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from walk(item)


@pytest.mark.parametrize(("kind", "shape"), SHAPES, ids=NAMES)
def test_the_shape_of_the_spec_is_read_whole(kind, shape):
    inside = list(walk(kind(shape)))

    assert not [value for value in inside if isinstance(value, Malformed)]
    unknown = {
        key
        for value in inside
        if type(value) is not Record and isinstance(value, Value)
        for key, _ in value.others
    }
    assert unknown <= {"aKeyNobodyNamed", "extra"}


@pytest.mark.parametrize(("kind", "shape"), SHAPES, ids=NAMES)
def test_every_field_of_the_shape_reaches_an_attribute(kind, shape):
    value = kind(shape)
    fields = {key: name for name, key in kind.api_names.items()}

    for key, sent in shape.items():
        if key != "aKeyNobodyNamed":
            assert (getattr(value, fields[key]) is None) == (sent is None), key


@pytest.mark.parametrize(("kind", "shape"), SHAPES, ids=NAMES)
def test_absent_and_null_fields_are_none(kind, shape):
    for empty in (kind({}), kind(dict.fromkeys(shape))):
        assert {getattr(empty, name) for name in kind.api_names} == {None}


def test_a_loan_reads_as_the_loan_page_needs_it():
    loan = Loan(shapes.LOAN)

    assert loan.account_id == "L-1"
    assert loan.status == Decimal(2)
    assert loan.loan_amount == Decimal("1000.00")
    assert str(loan.loan_amount) == "1000.00"
    assert loan.created_at == datetime(2024, 5, 1, tzinfo=UTC)
    assert loan.maturity_date == datetime(2024, 5, 31, 23, 59, 59, 999000, tzinfo=UTC)
    assert loan.balances.repayment.unpaid == Decimal(5)
    assert loan.schedule.next_installment.due_date.tzinfo is UTC
    assert loan.contract.terms.interest.max_aer == Decimal("1.5")
    assert loan.contract.terms.interest.max_apr == Decimal("0.900000000000000000000000000001")
    assert loan.contract.interest_rates.apr == Decimal("0.12")
    assert loan.contract.interest_rates.aer == Decimal("0.1268")
    assert str(loan.contract.interest_rates.apy) == "0.12680"
    assert loan.contract.installments[0].amounts.repayment == Decimal("1012.34")
    assert loan.labels.entries == (("branch", "north"),)
    assert loan.settings.get("anything") == "goes"


def test_the_rest_reads_as_its_pages_need_it():
    borrower = Borrower(shapes.BORROWER)
    offer = OfferOperation(shapes.OFFER)
    event = Event(shapes.EVENT)

    assert borrower.individual.date_of_birth == date(1990, 2, 28)
    assert borrower.individual.no_of_dependants == 2
    assert borrower.devices[0].os_name == "android"
    assert borrower.settings.get("timezone") == "Africa/Nairobi"
    assert offer.done is True
    assert offer.result.response.products[0].terms.interest.risk_premium_rate == Decimal("0.05")
    assert event.data[0].values[0].get("rawBody") == shapes.SMS["rawBody"]
    assert Product(shapes.PRODUCT).charges[0].value == 50
    kind = AssessmentType(shapes.ASSESSMENT_TYPE)
    assert kind.settings.accounts.account_types == ("borrower",)


@pytest.mark.parametrize(
    ("field", "raw"),
    [
        ("accountId", 7),
        ("accountId", ["L-1"]),
        ("loanAmount", "1000.00"),
        ("loanAmount", True),
        ("loanAmount", 0.1),
        ("loanAmount", Decimal("NaN")),
        ("loanAmount", Decimal("Infinity")),
        ("loanAmount", {"amount": 1}),
        ("startDate", 1714521600),
        ("startDate", "2024-05-01"),
        ("startDate", "2024-05-01T00:00:00"),
        ("startDate", "2024-05-01T25:00:00Z"),
        ("startDate", "0001-01-01T00:00:00+14:00"),
        ("startDate", "yesterday"),
        ("startDate", ""),
        ("status", True),
        ("status", [2]),
        ("contract", "none yet"),
        ("contract", [shapes.CONTRACT]),
        ("balances", 12),
        ("settings", "x"),
    ],
)
def test_a_field_of_the_wrong_type_is_odd_and_shown_as_it_came(field, raw):
    loan = Loan({**shapes.LOAN, field: raw})
    name = next(name for name, key in Loan.api_names.items() if key == field)

    assert isinstance(getattr(loan, name), Malformed)
    assert getattr(loan, name).raw is raw
    assert loan.raw[field] is raw
    assert loan.loan_type == "cash"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-05-01T10:00:00.123Z", datetime(2024, 5, 1, 10, 0, 0, 123000, tzinfo=UTC)),
        ("2024-05-01T10:00:00+03:00", datetime(2024, 5, 1, 7, tzinfo=UTC)),
        ("2024-05-01T10:00:00-0330", datetime(2024, 5, 1, 13, 30, tzinfo=UTC)),
        ("2024-05-01T10:00Z", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        (
            "2024-05-01T10:00:00.123456789Z",
            datetime(2024, 5, 1, 10, 0, 0, 123456, tzinfo=UTC),
        ),
    ],
)
def test_timestamps_become_utc(written, read):
    loan = Loan({"startDate": written})

    assert loan.start_date == read
    assert loan.start_date.tzinfo is UTC


@pytest.mark.parametrize("raw", ["28-02-1990", "1990-02-30", "1990-2-3", "19900228", 1990, True])
def test_a_date_that_is_none_is_odd(raw):
    assert Individual({"dateOfBirth": raw}).date_of_birth == Malformed(raw)


def test_items_of_a_list_are_odd_one_by_one():
    borrower = Borrower({"devices": [shapes.DEVICE, None, "phone", 3]})

    assert isinstance(borrower.devices[0], Device)
    assert borrower.devices[1:] == (Malformed(None), Malformed("phone"), Malformed(3))
    assert [device.device_id for device in each(borrower.devices)] == ["d-1"]
    assert each(Borrower({"devices": "none"}).devices) == ()
    assert each(None) == ()


def test_a_status_is_kept_as_number_or_text():
    assert Borrower({"status": "active"}).status == "active"
    assert Borrower({"status": Decimal("1.0")}).status == Decimal("1.0")


def test_an_object_with_a_key_raw_is_no_odd():
    loan = Loan({"contract": {"raw": 1}})

    assert isinstance(loan.contract, LendingContract)
    assert loan.contract.raw == {"raw": 1}


def test_a_value_cannot_be_changed():
    loan = Loan(shapes.LOAN)

    with pytest.raises(AttributeError):
        loan.status = 3
    with pytest.raises(AttributeError):
        loan.somethingNew = 1


def test_keys_that_the_spec_does_not_name_are_kept():
    loan = Loan({"accountId": "L-1", "model_config": 1, "raw": 2, "account_id": 3})

    assert loan.account_id == "L-1"
    assert loan.others == (("model_config", 1), ("raw", 2), ("account_id", 3))
    assert loan.raw == {"accountId": "L-1", "model_config": 1, "raw": 2, "account_id": 3}


def test_a_key_that_is_no_proper_text_harms_nothing():
    loan = Loan({"accountId": "L-1", "half\ud800": 1})

    assert loan.account_id == "L-1"
    assert loan.others == (("half\ud800", 1),)
