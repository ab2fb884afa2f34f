"""Repayments over HTTP (Spec: Loans, MakeRepayment; Rules that hold, 3 and 4)."""

import threading
import time
from decimal import Decimal
from typing import Any

import pytest

from tests.sandbox.calling import Caller, ago, repayment

GROUPS = ("fees", "penalty", "interest", "principal", "repayment")


def adds_up(balances: dict[str, dict[str, Decimal]]) -> bool:
    """Every group by itself, and the sum of four against the fifth."""
    return all(
        group["total"] == group["paid"] + group["unpaid"]
        and 0 <= group["overdue"] <= min(group["due"], group["unpaid"])
        and group["due"] <= group["total"]
        for group in balances.values()
    ) and all(
        balances["repayment"][key] == sum(balances[name][key] for name in GROUPS[:4])
        for key in balances["repayment"]
    )


@pytest.mark.parametrize("form", [":", "/"])
def test_a_repayment_moves_the_balances_by_its_amount(lender: Caller, form: str) -> None:
    before = lender.loan()["balances"]
    sent = repayment(
        Decimal("100.01"),
        valueDate=ago(days=1),
        channel="mobile",
        network="M-PESA",
        currencyCode="KES",
        notes="at the market",
    )
    answer = lender.post(f"/loans/l{form}makeRepayment", sent)
    assert answer.status == 200
    after = answer.body["balances"]
    assert set(after) == set(GROUPS)
    assert after["repayment"]["paid"] == before["repayment"]["paid"] + Decimal("100.01")
    assert after["repayment"]["unpaid"] == before["repayment"]["unpaid"] - Decimal("100.01")
    # Nothing is overdue, so interest of the first instalment goes before its principal.
    assert after["interest"]["paid"] == Decimal("29.59")
    assert after["principal"]["paid"] == Decimal("70.42")
    assert adds_up(before)
    assert adds_up(after)
    assert lender.get("/loans/l").body == answer.body


def test_the_same_external_id_is_taken_twice(lender: Caller) -> None:
    lender.loan()
    for paid in (10, 20):
        answer = lender.post("/loans/l:makeRepayment", repayment(10, externalId="same"))
        assert answer.body["balances"]["repayment"]["paid"] == paid


def test_the_last_cent_settles_the_loan(lender: Caller) -> None:
    unpaid = lender.loan()["balances"]["repayment"]["unpaid"]
    almost = lender.post("/loans/l:makeRepayment", repayment(unpaid - Decimal("0.01"))).body
    assert (almost["status"], almost["settlementDate"], almost["result"]) == (2, None, None)
    last = repayment(Decimal("0.01"))
    closed = lender.post("/loans/l:makeRepayment", last).body
    assert closed["status"] == 3
    assert closed["settlementDate"] == last["transactionDate"]
    assert closed["result"] == {"type": "settled", "reason": "paid_in_full", "message": None}
    assert closed["balances"]["repayment"]["unpaid"] == 0
    assert closed["schedule"] == {"daysLate": 0, "nextInstallment": None}
    assert lender.get("/borrowers/b").body["loans"][0]["completionDate"] == closed["settlementDate"]


def test_what_is_paid_above_what_is_owed_shows_in_the_result(lender: Caller) -> None:
    unpaid = lender.loan()["balances"]["repayment"]["unpaid"]
    closed = lender.post("/loans/l:makeRepayment", repayment(unpaid + Decimal("2.50"))).body
    assert closed["status"] == 3
    assert closed["result"]["reason"] == "overpaid"
    assert closed["result"]["message"].startswith("2.50 more")
    assert closed["balances"]["repayment"]["paid"] == unpaid


def test_a_closed_loan_takes_no_repayment(lender: Caller) -> None:
    unpaid = lender.loan()["balances"]["repayment"]["unpaid"]
    lender.post("/loans/l:makeRepayment", repayment(unpaid))
    answer = lender.post("/loans/l:makeRepayment", repayment(1))
    assert answer.status == 422
    assert "closed" in answer.description
    assert "only on an open loan" in answer.description


def test_a_repayment_dated_back_takes_effect_then(lender: Caller) -> None:
    late = lender.loan("late", startDate=ago(days=50))
    assert late["balances"]["penalty"]["total"] > 0
    owed = late["contract"]["installments"][0]["amounts"]["repayment"]
    sent = repayment(owed, valueDate=ago(days=22))
    mended = lender.post("/loans/late:makeRepayment", sent).body
    assert mended["balances"]["penalty"]["total"] == 0
    assert mended["balances"]["repayment"]["overdue"] == 0
    assert mended["performanceStatus"] == 1


def test_a_repayment_with_a_value_date_to_come_counts_from_then(lender: Caller) -> None:
    lender.loan()
    answer = lender.post("/loans/l:makeRepayment", repayment(50, valueDate=ago(seconds=-2)))
    assert answer.status == 200
    assert answer.body["balances"]["repayment"]["paid"] == 0
    time.sleep(2.1)
    assert lender.get("/loans/l").body["balances"]["repayment"]["paid"] == 50
    assert lender.get("/borrowers/b").body["loans"][0]["paidAmount"] == 50


def test_a_loan_that_does_not_exist_gets_404(lender: Caller) -> None:
    answer = lender.post("/loans/none:makeRepayment", repayment(1))
    assert answer.status == 404
    assert "none does not exist" in answer.description


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"externalId": None}, "externalId"),
        ({"externalId": ""}, "externalId"),
        ({"externalId": 12}, "externalId"),
        ({"amount": None}, "amount"),
        ({"amount": 0}, "amount"),
        ({"amount": -5}, "amount"),
        ({"amount": "5.00"}, "amount"),
        ({"amount": True}, "amount"),
        ({"amount": Decimal("1.001")}, "amount"),
        ({"amount": Decimal("1e15")}, "amount"),
        ({"amount": Decimal("1e999999999")}, "amount"),
        ({"amount": [5]}, "amount"),
        ({"transactionDate": None}, "transactionDate"),
        ({"transactionDate": "2026-01-01T10:00:00"}, "transactionDate"),
        ({"transactionDate": "2026-02-30T10:00:00Z"}, "transactionDate"),
        ({"transactionDate": "0001-01-01T00:00:00+14:00"}, "transactionDate"),
        ({"transactionDate": 1767225600}, "transactionDate"),
        ({"transactionDate": "2150-01-01T00:00:00Z"}, "transactionDate"),
        ({"valueDate": "soon"}, "valueDate"),
        ({"channel": "pigeon"}, "channel"),
        ({"network": 5}, "network"),
        ({"currencyCode": "shillings"}, "currencyCode"),
        ({"notes": {}}, "notes"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_paid(
    lender: Caller, change: dict[str, Any], field: str
) -> None:
    before = lender.loan()
    answer = lender.post("/loans/l:makeRepayment", repayment(5) | change)
    assert answer.status == 400
    assert answer.description.startswith(field + ": "), answer.description
    assert lender.get("/loans/l").body == before


def test_a_transaction_in_the_future_is_refused(lender: Caller) -> None:
    lender.loan()
    answer = lender.post("/loans/l:makeRepayment", repayment(5, transactionDate=ago(minutes=-1)))
    assert answer.status == 400
    assert answer.description == "transactionDate: must not be in the future"


def test_repayments_at_the_same_time_all_count(lender: Caller) -> None:
    lender.loan()

    def pay() -> None:
        Caller.post(lender, "/loans/l:makeRepayment", repayment(Decimal("1.01")))

    threads = [threading.Thread(target=pay) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    paid = lender.get("/loans/l").body["balances"]["repayment"]["paid"]
    assert paid == 12 * Decimal("1.01")
