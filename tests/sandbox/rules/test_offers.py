"""Offers follow from an assessment, and are never worse for a better one (README: offers)."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.sandbox.catalogue.products import PRODUCTS, find_product
from lendingadmin.sandbox.rules.offers import (
    BANDS,
    Holder,
    NoOffer,
    Offer,
    compute_limit,
    make_offer,
)
from lendingadmin.sandbox.rules.previews import Offered, build_previews
from lendingadmin.sandbox.rules.scoring import AUTHORIZED, DECLINED, INVALID, Outcome

D = Decimal
PERSON, FIRM = Holder("individual", D(0)), Holder("company", D(0))
EVERYTHING = {"term-6-months", "term-12-months", "flex-weekly", "flex-salary", "bullet-30-days"}
MID = {"term-6-months", "flex-weekly", "flex-salary", "bullet-30-days"}
SHORT = {"flex-weekly", "flex-salary", "bullet-30-days"}


def outcome(score: int, income: str = "0", repaid: str = "0") -> Outcome:
    return Outcome(AUTHORIZED, None, None, None, "low", 10, score, "A", income, repaid)


def offer(score: int, income: str = "0", repaid: str = "0", holder: Holder = PERSON) -> Offer:
    found = make_offer(outcome(score, income, repaid), holder, PRODUCTS)
    assert isinstance(found, Offer), found
    return found


@pytest.mark.parametrize(
    ("score", "income", "repaid", "owed", "limit", "waiver"),
    [
        # Score bands at their edges; income decides.
        (850, "10000", "0", "0", "10000", "0.02"),
        (750, "10000", "0", "0", "10000", "0.02"),
        (749, "10000", "0", "0", "6000", "0.01"),
        (650, "10000", "0", "0", "6000", "0.01"),
        (649, "10000", "0", "0", "4000", "0"),
        (550, "10000", "0", "0", "4000", "0"),
        (549, "10000", "0", "0", "2000", "0"),
        (450, "10000", "0", "0", "2000", "0"),
        # The largest loan repaid decides.
        (750, "1000", "6000", "0", "12000", "0.02"),
        (650, "1000", "6000", "0", "9000", "0.01"),
        (550, "1000", "6000", "0", "7500", "0"),
        (450, "1000", "6000", "0", "6000", "0"),
        # Nothing but the score decides.
        (750, "0", "0", "0", "500", "0.02"),
        (650, "0", "0", "0", "300", "0.01"),
        (550, "0", "0", "0", "200", "0"),
        (450, "0", "0", "0", "100", "0"),
        # Down to whole tens; what is owed is taken off; a highest limit.
        (750, "1239.99", "0", "0", "1230", "0.02"),
        (750, "1239.99", "0", "200.50", "1030", "0.02"),
        (750, "99000000", "0", "0", "10000000", "0.02"),
    ],
)
def test_the_limit_and_the_waiver(
    score: int, income: str, repaid: str, owed: str, limit: str, waiver: str
) -> None:
    found = offer(score, income, repaid, Holder("individual", D(owed)))
    assert (found.credit_limit, found.waiver) == (D(limit), D(waiver))


@pytest.mark.parametrize(
    ("score", "limit", "holder", "expected"),
    [
        (750, "5000", PERSON, EVERYTHING),
        (650, "5000", PERSON, EVERYTHING),
        (550, "5000", PERSON, MID),
        (450, "5000", PERSON, SHORT),
        (750, "5000", FIRM, EVERYTHING - {"flex-salary"} | {"business-24-months"}),
        (450, "5000", FIRM, {"flex-weekly", "bullet-30-days"}),
        # What the limit does not reach is not offered: 500 for a year, 100, 50, 10.
        (750, "500", PERSON, EVERYTHING),
        (750, "490", PERSON, MID),
        (750, "90", PERSON, {"flex-weekly", "bullet-30-days"}),
        (750, "40", PERSON, {"bullet-30-days"}),
        (750, "10", PERSON, {"bullet-30-days"}),
    ],
)
def test_which_products_are_offered(
    score: int, limit: str, holder: Holder, expected: set[str]
) -> None:
    of_income = next(band.of_income for band in BANDS if score >= band.least_score)
    income = D(100_000)
    owed = income * of_income - D(limit)
    found = offer(score, str(income), "0", holder._replace(owed=owed))
    assert found.credit_limit == D(limit)
    assert {name for name, _ in found.products} == expected


@pytest.mark.parametrize(("score", "times"), [(750, "0.5"), (650, "1"), (550, "1.5"), (450, "2")])
def test_the_premium_is_the_products_own_times_the_bands(score: int, times: str) -> None:
    for name, premium in offer(score, "5000").products:
        product = find_product(name)
        assert product is not None
        assert premium == product.risk_premium_rate * D(times)


@given(
    scores=st.tuples(st.integers(300, 850), st.integers(300, 850)).map(sorted),
    income=st.decimals("0", "1000000", places=2),
    repaid=st.decimals("0", "1000000", places=2),
    owed=st.decimals("0", "100000", places=2),
    category=st.sampled_from(["individual", "company"]),
)
def test_a_better_score_never_gets_a_worse_offer(
    scores: list[int], income: Decimal, repaid: Decimal, owed: Decimal, category: str
) -> None:
    worse, better = (
        make_offer(outcome(score, str(income), str(repaid)), Holder(category, owed), PRODUCTS)
        for score in scores
    )
    if isinstance(worse, NoOffer):
        return
    assert isinstance(better, Offer)
    assert better.credit_limit >= worse.credit_limit
    assert better.waiver >= worse.waiver
    premiums = dict(better.products)
    assert all(premiums[name] <= premium for name, premium in worse.products)


@given(
    income=st.decimals("0", "1000000", places=2),
    repaid=st.decimals("0", "1000000", places=2),
    more=st.decimals("0", "1000000", places=2),
    score=st.integers(450, 850),
)
def test_more_income_more_repaid_and_less_owed_never_lower_the_limit(
    income: Decimal, repaid: Decimal, more: Decimal, score: int
) -> None:
    base = offer(score, str(income), str(repaid)).credit_limit
    assert offer(score, str(income + more), str(repaid)).credit_limit >= base
    assert offer(score, str(income), str(repaid + more)).credit_limit >= base
    indebted = make_offer(outcome(score, str(income)), Holder("individual", more), PRODUCTS)
    assert isinstance(indebted, NoOffer) or indebted.credit_limit <= base


@given(score=st.integers(450, 850), income=st.decimals("0", "1000000", places=2))
def test_every_offer_can_be_previewed_up_to_its_limit_within_the_products_caps(
    score: int, income: Decimal
) -> None:
    found = offer(score, str(income))
    for name, premium in found.products:
        product = find_product(name)
        assert product is not None
        for amount in (product.floor, found.credit_limit):
            limit, day = found.credit_limit, date(2026, 3, 1)
            (one,) = build_previews([Offered(product, premium)], limit, found.waiver, amount, day)
            assert one["interestRates"]["AER"] <= product.max_aer
            assert one["interestRates"]["APR"] <= product.max_apr


@pytest.mark.parametrize(
    ("type_", "reason", "message"),
    [
        (INVALID, "no_data", "Too little was reported."),
        (DECLINED, "arrears_over_30_days", "A loan is more than 30 days late."),
    ],
)
def test_who_was_not_authorized_is_offered_nothing(type_: str, reason: str, message: str) -> None:
    no = Outcome(type_, reason, message, reason, None, None, 800, None, "9000", "9000")
    assert make_offer(no, PERSON, PRODUCTS) == NoOffer(reason, message)


def test_who_owes_the_limit_already_is_offered_nothing() -> None:
    found = make_offer(outcome(850, "1000"), Holder("individual", D("990.01")), PRODUCTS)
    assert isinstance(found, NoOffer)
    assert found.reason == "limit_used_up"
    assert "990.01" in found.message


def test_a_limit_is_never_below_zero() -> None:
    assert compute_limit(BANDS[0], outcome(850), D(900)) == 0
