"""Previews of contracts over HTTP (Spec: Borrowers, 5)."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from lendingadmin.sandbox.rules.invalid import NotFound
from tests.sandbox.calling import Answer, Caller

D = Decimal
CONTRACT = {
    "productId": str, "versionNo": int, "startDate": str, "maturityDate": str, "terms": dict,
    "amounts": dict, "interestRates": dict, "adjustments": list, "tranches": list,
    "installments": list,
}  # fmt: skip
PARTS = {
    "terms": {"period", "repaymentInterval", "fees", "penalty", "interest"},
    "amounts": {
        "requested", "disbursement", "principal", "interest", "repayment", "fees", "penalty",
    },
    "interestRates": {"nominalRate", "periodicRate", "APR", "AER", "APY"},
}  # fmt: skip
INTEREST = {
    "maxAER", "maxAPR", "baseRate", "waiverRate", "riskPremiumRate", "calculationMethod",
    "compoundingPeriod",
}  # fmt: skip
FEE = {
    "kind", "value", "required", "description", "displayName", "calculationMethod",
    "installmentTarget", "calculateInAdvance",
}  # fmt: skip
ADJUSTMENT = {
    "kind", "displayName", "description", "target", "action", "valueType", "source", "value",
}  # fmt: skip
BOTH_FORMS = pytest.mark.parametrize("form", [":", "/"])


def summary(**fields: object) -> dict[str, object]:
    """An offer of up to 5,000 on two products."""
    return {
        "creditLimit": 5000,
        "products": [offered("term-6-months", "0.05"), offered("flex-weekly", "0.07")],
        "interestRateWaiver": D("0.01"),
    } | fields


def offered(product_id: str, premium: str) -> dict[str, object]:
    return {"productId": product_id, "terms": {"interest": {"riskPremiumRate": D(premium)}}}


def asked(**fields: object) -> dict[str, object]:
    """A preview's body."""
    whole = {
        "offerSummary": summary(),
        "amount": D("1200.50"),
        "startDate": "2026-03-01T22:30:00-03:00",
    }
    return {key: value for key, value in (whole | fields).items() if value is not ...}


def preview(lender: Caller, form: str = ":", **fields: object) -> Answer:
    return lender.post(f"/borrowers/b{form}getOfferContracts", asked(**fields))


@BOTH_FORMS
def test_each_product_of_the_summary_gets_a_contract_with_every_field(
    lender: Caller, form: str
) -> None:
    answer = preview(lender, form)
    assert answer.status == 200
    assert [one["productId"] for one in answer.body] == ["term-6-months", "flex-weekly"]
    for one in answer.body:
        assert {key: type(value) for key, value in one.items()} == CONTRACT
        assert {part: set(one[part]) for part in PARTS} == PARTS
        assert set(one["terms"]["penalty"]) == {"rate", "gracePeriod", "calculationMethod"}
        assert set(one["terms"]["interest"]) == INTEREST
        assert all(set(fee) == FEE for fee in one["terms"]["fees"])
        assert all(set(change) == ADJUSTMENT for change in one["adjustments"])
        assert {"sequenceNo", "startDate", "dueDate", "amount"} == set(one["tranches"][0])
        for installment in one["installments"]:
            assert set(installment) == {"sequenceNo", "startDate", "dueDate", "amounts"}
            assert set(installment["amounts"]) == {
                "repayment", "principal", "interest", "fees", "penalty",
            }  # fmt: skip


def test_the_contract_is_for_the_amount_the_day_and_the_rates_of_the_offer(lender: Caller) -> None:
    first, second = preview(lender).body
    for one, premium, base in ((first, "0.05", "0.24"), (second, "0.07", "0.36")):
        assert one["amounts"]["requested"] == D("1200.50")
        # 22:30 at -03:00 is the second of March in UTC.
        assert one["startDate"] == "2026-03-02T00:00:00.000Z"
        assert one["installments"][0]["startDate"] == "2026-03-02T00:00:00.000Z"
        assert one["maturityDate"] == one["installments"][-1]["dueDate"]
        assert one["maturityDate"].endswith("T23:59:59.999Z")
        assert one["terms"]["interest"]["riskPremiumRate"] == D(premium)
        assert one["terms"]["interest"]["waiverRate"] == D("0.01")
        assert one["interestRates"]["nominalRate"] == D(base) + D(premium) - D("0.01")


def test_without_an_amount_it_is_the_credit_limit_and_without_a_day_today(lender: Caller) -> None:
    before = datetime.now(UTC).date()
    answer = preview(lender, amount=..., startDate=None)
    after = datetime.now(UTC).date()
    for one in answer.body:
        assert one["amounts"]["requested"] == 5000
        days = {f"{day.isoformat()}T00:00:00.000Z" for day in (before, after)}
        assert one["startDate"] in days


def test_products_may_be_named_by_uid_and_leave_out_their_premium(lender: Caller) -> None:
    product = lender.get("/v1/projects/demo/products").body["products"][0]
    short = summary(products=[{"productId": product["uid"]}], interestRateWaiver=None)
    (found,) = preview(lender, offerSummary=short).body
    assert found["productId"] == product["productId"]
    interest = product["terms"]["interest"]
    assert found["terms"]["interest"]["riskPremiumRate"] == interest["riskPremiumRate"]
    assert found["terms"]["interest"]["waiverRate"] == 0
    assert preview(lender, offerSummary=summary(products=[])).body == []


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"amount": D("5000.01")}, "amount: 5000.01 is above the credit limit of 5000"),
        ({"amount": D("99.99")}, "amount: 99.99 is under the floor of term-6-months, 100"),
        (
            {"offerSummary": summary(products=[offered("bullet-14-days", "0")])},
            "offerSummary.products: bullet-14-days is no longer offered",
        ),
    ],
)
def test_what_could_not_be_had_is_refused_with_why(
    lender: Caller, fields: dict[str, object], why: str
) -> None:
    answer = preview(lender, **fields)
    assert answer.status == 422
    assert why in answer.description


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"offerSummary": ...}, "offerSummary"),
        ({"offerSummary": []}, "offerSummary"),
        ({"offerSummary": summary(creditLimit=None)}, "offerSummary.creditLimit"),
        ({"offerSummary": summary(creditLimit=0)}, "offerSummary.creditLimit"),
        ({"offerSummary": summary(creditLimit="5000")}, "offerSummary.creditLimit"),
        ({"offerSummary": summary(products=None)}, "offerSummary.products"),
        ({"offerSummary": summary(products=[{}] * 51)}, "offerSummary.products"),
        ({"offerSummary": summary(products=[{}])}, "offerSummary.products[0].productId"),
        (
            {"offerSummary": summary(products=[offered("term-6-months", "0"), offered("no", "0")])},
            "offerSummary.products[1].productId",
        ),
        (
            {"offerSummary": summary(products=[offered("term-6-months", "-0.01")])},
            "offerSummary.products[0].terms.interest.riskPremiumRate",
        ),
        ({"offerSummary": summary(interestRateWaiver="none")}, "offerSummary.interestRateWaiver"),
        ({"offerSummary": summary(interestRateWaiver=101)}, "offerSummary.interestRateWaiver"),
        ({"amount": "1200"}, "amount"),
        ({"amount": 0}, "amount"),
        ({"amount": D("10.001")}, "amount"),
        ({"startDate": "2026-03-01"}, "startDate"),
    ],
)
def test_what_is_wrong_is_named(lender: Caller, fields: dict[str, object], field: str) -> None:
    answer = preview(lender, **fields)
    assert answer.status == 400
    assert answer.description.startswith(field + ": "), answer.description


@BOTH_FORMS
def test_a_borrower_that_does_not_exist_gets_404(caller: Caller, form: str) -> None:
    answer = caller.post(f"/borrowers/b{form}getOfferContracts", asked())
    assert answer.status == 404
    assert str(NotFound("Borrower b")) in answer.description


def test_a_preview_changes_nothing(lender: Caller) -> None:
    before = lender.get("/borrowers/b").body
    assert preview(lender).status == 200
    assert lender.get("/borrowers/b").body == before
    assert lender.get("/loans").body["loans"] == []


def test_a_loan_made_from_a_preview_keeps_it_to_the_last_digit(lender: Caller) -> None:
    contract: Any = preview(lender, startDate=None).body[0] | {
        "reference": {"offer": ["r-1", None, D("1.10"), D("0.10000000000000000001")]}
    }
    loan = lender.loan("l", contract=contract, loanAmount=None, requestId="r-1", assessmentId="a-1")
    assert loan["contract"] == contract
    text = lender.get("/loans/l").text
    assert '"reference":{"offer":["r-1",null,1.10,0.10000000000000000001]}' in text
    assert (loan["requestId"], loan["assessmentId"]) == ("r-1", "a-1")
    assert loan["productId"] == "term-6-months"
    assert loan["loanAmount"] == D("1200.50")
    assert loan["maturityDate"] == contract["maturityDate"]
    for kind in ("principal", "interest", "repayment"):
        asked_for = sum(one["amounts"][kind] for one in contract["installments"])
        assert loan["balances"][kind]["total"] == asked_for
