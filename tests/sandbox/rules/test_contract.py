"""Whole contracts from products and posted terms (Spec: LendingContract)."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.sandbox.catalogue.products import PRODUCTS, Product
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.rules.opening import build_plan, open_account, read_arrears

D = Decimal
START = date(2026, 1, 15)
TERM = PRODUCTS[0]
THOUSAND = D(1000)


def contract(product: Product = TERM, amount: Decimal = THOUSAND, **posted: Any) -> dict[str, Any]:
    return open_account(product, posted, amount, START).contract


def test_a_contract_has_every_field_of_the_spec() -> None:
    found = contract()
    assert set(found) == {
        "productId", "versionNo", "startDate", "maturityDate", "terms", "amounts",
        "interestRates", "adjustments", "tranches", "installments",
    }  # fmt: skip
    assert set(found["amounts"]) == {
        "requested", "disbursement", "principal", "interest", "repayment", "fees", "penalty",
    }  # fmt: skip
    assert set(found["interestRates"]) == {"nominalRate", "periodicRate", "APR", "AER", "APY"}
    assert set(found["terms"]["interest"]) == {
        "maxAER", "maxAPR", "baseRate", "waiverRate", "riskPremiumRate", "calculationMethod",
        "compoundingPeriod",
    }  # fmt: skip
    assert set(found["terms"]["fees"][0]) == {
        "kind", "value", "required", "description", "displayName", "calculationMethod",
        "installmentTarget", "calculateInAdvance",
    }  # fmt: skip
    assert found["startDate"] == "2026-01-15T00:00:00.000Z"
    assert found["maturityDate"] == "2026-07-13T23:59:59.999Z"
    for one in found["installments"]:
        assert one["startDate"].endswith("T00:00:00.000Z")
        assert one["dueDate"].endswith("T23:59:59.999Z")


def test_fees_are_deducted_from_the_disbursement() -> None:
    found = contract()
    assert found["amounts"]["disbursement"] == D("975.00")
    assert found["amounts"]["fees"] == D("25.00")
    assert found["adjustments"][0]["value"] == D("25.00")
    assert found["adjustments"][0]["action"] == "deduct"


def test_other_fees_are_asked_for_with_the_first_instalment() -> None:
    weekly = next(product for product in PRODUCTS if product.product_id == "flex-weekly")
    found = contract(weekly)
    fees = [one["amounts"]["fees"] for one in found["installments"]]
    assert fees == [D("20.00")] + [D(0)] * 11
    assert found["amounts"]["disbursement"] == D(1000)
    assert found["adjustments"] == []


@given(
    product=st.sampled_from(PRODUCTS),
    amount=st.decimals("1", "5000000", places=2),
    premium=st.decimals("0", "0.5", places=3),
)
def test_sums_and_rates_agree(product: Product, amount: Decimal, premium: Decimal) -> None:
    terms = {"interest": {"riskPremiumRate": premium}}
    found = contract(product, amount, terms=terms)
    amounts, rates = found["amounts"], found["interestRates"]
    parts = [one["amounts"] for one in found["installments"]]
    assert sum(part["principal"] for part in parts) == amounts["principal"] == amount
    assert sum(part["interest"] for part in parts) == amounts["interest"]
    assert sum(part["repayment"] for part in parts) == amounts["repayment"]
    for part in parts:
        assert part["repayment"] == part["principal"] + part["interest"] + part["fees"]
    assert rates["AER"] <= product.max_aer + D("0.00001")
    assert rates["AER"] == rates["APY"]
    days = int(found["terms"]["interest"]["compoundingPeriod"].split()[0])
    nominal = float(rates["nominalRate"])
    assert float(rates["periodicRate"]) == pytest.approx(nominal * days / 365, abs=1e-6)
    assert float(rates["AER"]) == pytest.approx(
        (1 + nominal * days / 365) ** (365 / days) - 1, abs=1e-5
    )


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.product_id)
def test_the_stated_caps_hold_for_the_product_as_it_is(product: Product) -> None:
    rates = contract(product, D(10000))["interestRates"]
    assert rates["AER"] <= product.max_aer
    assert rates["nominalRate"] < rates["APR"] <= product.max_apr


def test_the_cap_lowers_the_rate() -> None:
    high = contract(terms={"interest": {"baseRate": D(3)}})["interestRates"]
    assert high["AER"] == pytest.approx(TERM.max_aer, abs=D("0.00001"))


def test_a_waiver_lowers_the_rate_but_not_below_zero() -> None:
    low = contract(terms={"interest": {"waiverRate": D("0.10")}})["interestRates"]
    assert low["nominalRate"] == D("0.20")
    none = contract(terms={"interest": {"waiverRate": D(9)}})
    assert none["amounts"]["interest"] == 0
    assert sum(one["amounts"]["principal"] for one in none["installments"]) == 1000


def test_posted_terms_win_over_the_product() -> None:
    found = contract(
        startDate="2026-03-01T09:00:00+03:00",
        terms={
            "period": "60 days",
            "repaymentInterval": "20 days",
            "fees": [],
            "penalty": {"rate": D("0.5"), "gracePeriod": "9 days"},
        },
        note="kept",
    )
    assert len(found["installments"]) == 3
    assert found["startDate"] == "2026-03-01T00:00:00.000Z"
    assert found["maturityDate"] == "2026-04-29T23:59:59.999Z"
    assert found["amounts"]["disbursement"] == 1000
    assert found["note"] == "kept"
    arrears = read_arrears(found)
    assert (arrears.rate, arrears.grace.days, arrears.late_fee) == (D("0.5"), 9, D(0))


def test_the_principal_may_stand_in_the_contract() -> None:
    for key in ("principal", "requested"):
        plan = build_plan(TERM, {"amounts": {key: D(70)}}, None, START)
        assert plan.requested == 70


@pytest.mark.parametrize(
    ("posted", "field"),
    [
        ({"terms": 5}, "contract.terms"),
        ({"terms": {"interest": []}}, "contract.terms.interest"),
        ({"terms": {"interest": {"baseRate": "0.2"}}}, "contract.terms.interest.baseRate"),
        ({"terms": {"interest": {"baseRate": D(-1)}}}, "contract.terms.interest.baseRate"),
        ({"terms": {"penalty": {"rate": D(101)}}}, "contract.terms.penalty.rate"),
        ({"terms": {"penalty": {"rate": D(2)}}}, "contract.terms.penalty.rate"),
        ({"terms": {"penalty": {"gracePeriod": 5}}}, "contract.terms.penalty.gracePeriod"),
        ({"terms": {"period": "a month"}}, "contract.terms.period"),
        ({"terms": {"period": "0 days"}}, "contract.terms.period"),
        ({"terms": {"period": "99999 days"}}, "contract.terms.period"),
        ({"terms": {"period": "999 days", "repaymentInterval": "1 day"}}, "contract.terms.period"),
        ({"terms": {"repaymentInterval": "0 days"}}, "contract.terms.period"),
        ({"terms": {"fees": {}}}, "contract.terms.fees"),
        ({"terms": {"fees": [1]}}, "contract.terms.fees[0]"),
        ({"terms": {"fees": [{"kind": "x", "value": D(1)}]}}, "contract.terms.fees[0].value"),
        ({"startDate": "now"}, "contract.startDate"),
    ],
)  # fmt: skip
def test_terms_that_are_none_are_named(posted: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        contract(**posted)
    assert caught.value.field == field


def test_fees_must_leave_something_to_disburse() -> None:
    half = {"kind": "deducted_disbursement_fee", "value": D("0.5")}
    with pytest.raises(Invalid, match="disburse"):
        contract(terms={"fees": [half, half]})


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"amounts": {"principal": D("999.999")}}, "contract.installments[0].amounts.principal"),
        ({"amounts": {"interest": D(-1)}}, "contract.installments[0].amounts.interest"),
        ({"amounts": {"principal": "1000"}}, "contract.installments[0].amounts.principal"),
        ({"amounts": []}, "contract.installments[0].amounts"),
        ({"dueDate": None}, "contract.installments[0].dueDate"),
        ({"startDate": "2027-01-01T00:00:00Z"}, "contract.installments[0].dueDate"),
        ({"amounts": {"principal": D(999)}}, "loanAmount"),
        ({"amounts": {"principal": D(0)}}, "contract.installments"),
    ],
)
def test_posted_instalments_that_are_none_are_named(change: dict[str, Any], field: str) -> None:
    good = {"dueDate": "2026-02-01T00:00:00Z", "amounts": {"principal": D(1000)}}
    assert open_account(TERM, {"installments": [good]}, D(1000), START).principal == 1000
    with pytest.raises(Invalid) as caught:
        open_account(TERM, {"installments": [good | change]}, D(1000), START)
    assert caught.value.field == field


def test_the_stated_principal_must_be_the_instalments() -> None:
    good = {"dueDate": "2026-02-01T00:00:00Z", "amounts": {"principal": D(1000)}}
    with pytest.raises(Invalid, match=r"contract\.amounts\.principal"):
        open_account(TERM, {"installments": [good], "amounts": {"principal": D(1)}}, None, START)
