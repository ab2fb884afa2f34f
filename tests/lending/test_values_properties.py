"""Whatever JSON comes, in whatever field: values read it, keep it and show none of it in a log."""

from datetime import datetime
from decimal import Decimal

import pytest
import simplejson
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lendingadmin.lending import values
from lendingadmin.lending.codec import build_json
from lendingadmin.lending.values import Individual, LendingContract, Loan, Malformed, Value

# A busy machine is no failure; a few dozen objects of each of so many kinds find what there is.
settings.register_profile(
    "values", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
patiently = settings(settings.get_profile("values"))

KINDS = [
    kind for kind in vars(values).values() if isinstance(kind, type) and issubclass(kind, Value)
]
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)
SCALARS = st.none() | st.booleans() | st.integers() | DECIMALS | TEXT
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
NEAR_MISSES = st.sampled_from(
    ["2024-02-30T00:00:00Z", "9999-12-31T23:59:59-01:00", "٢٠٢٤-٠١-٠١", "1e5", {"raw": {}}, [[]]]
)


def objects_of(kind):
    """Objects with some of the kind's keys, and some of nobody's, with any JSON in each."""
    keys = list(kind.api_names.values())
    ours = (
        st.dictionaries(st.sampled_from(keys), JSON | NEAR_MISSES, max_size=6)
        if keys
        else st.just({})
    )
    return st.builds(lambda known, other: {**other, **known}, ours, st.dictionaries(TEXT, JSON))


def use(value):
    """Everything that a page does with a field."""
    str(value)
    repr(value)
    bool(value)
    if isinstance(value, Value):
        for name in value.api_names:
            use(getattr(value, name))
        assert len(value.others) <= len(value.entries)
    elif isinstance(value, tuple | Malformed):
        for item in value:
            use(item)


@pytest.mark.parametrize("kind", KINDS, ids=[kind.__name__ for kind in KINDS])
@patiently
@given(data=st.data())
def test_any_json_in_any_field_reads_and_is_kept(kind, data):
    raw = data.draw(objects_of(kind))

    value = kind(raw)

    use(value)
    assert value.raw == raw
    for name, key in kind.api_names.items():
        read = getattr(value, name)
        assert (read is None) == (raw.get(key) is None)
        if isinstance(read, Malformed):
            assert read.raw is raw[key]


@patiently
@given(DECIMALS)
def test_a_number_keeps_every_digit(amount):
    text = simplejson.dumps({"loanAmount": amount}, use_decimal=True)
    loan = Loan(simplejson.loads(text, use_decimal=True))

    assert simplejson.dumps(build_json(loan), use_decimal=True) == text
    assert isinstance(loan.loan_amount, Decimal)
    if isinstance(loan.raw["loanAmount"], Decimal):
        assert loan.loan_amount.as_tuple() == amount.as_tuple()
    else:
        assert loan.loan_amount == amount


@patiently
@given(st.integers())
@example(10**40 + 1)
def test_a_whole_number_keeps_every_digit(amount):
    text = simplejson.dumps({"loanAmount": amount})
    loan = Loan(simplejson.loads(text, use_decimal=True))

    assert isinstance(loan.loan_amount, Decimal)
    assert int(loan.loan_amount) == amount
    assert simplejson.dumps(build_json(loan), use_decimal=True) == text


@patiently
@given(objects_of(LendingContract))
def test_a_contract_comes_back_to_the_last_key_and_digit(raw):
    text = simplejson.dumps(raw, use_decimal=True)
    contract = LendingContract(simplejson.loads(text, use_decimal=True))

    assert (
        simplejson.dumps(build_json({"contract": contract})["contract"], use_decimal=True) == text
    )


@patiently
@given(st.datetimes(), st.sampled_from(["Z", "+03:00", "-11:30"]))
def test_a_timestamp_is_the_same_moment_in_utc_or_odd(moment, offset):
    written = f"{moment.isoformat()}{offset}"
    read = Loan({"startDate": written}).start_date

    if isinstance(read, Malformed):
        # The edges of the calendar have no UTC.
        assert moment.year in (1, 9999)
    else:
        assert read == datetime.fromisoformat(written)
        assert read.utcoffset().total_seconds() == 0


@patiently
@given(st.sampled_from(list(Individual.api_names.values())), JSON)
def test_a_persons_data_never_reaches_a_log(field, content):
    secret = "GRACE-WANJIRU"
    value = Individual({field: [secret, content], secret: secret})

    use(value)
    assert secret not in repr(value) + str(value) + repr(getattr(value, "surname", ""))
