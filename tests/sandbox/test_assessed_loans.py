"""How loans were repaid, as assessments of loans see it over HTTP."""

from typing import Any

from tests.sandbox.calling import Caller, ago, new_assessment, repayment

LOANS = "assessmentTypes/loan-history-180-days"


def outcome(instant: Caller, **fields: object) -> Any:
    """The result of an assessment of loans; such a sandbox has it at once."""
    answer = instant.post("/assessments", new_assessment(assessmentType=LOANS, **fields))
    assert answer.status == 200, answer.text
    return answer.body["result"]


def test_how_loans_were_repaid_counts(instant: Caller) -> None:
    instant.loan("l", startDate=ago(days=70))
    behind = outcome(instant)
    assert behind["rule"] == "arrears_over_30_days"
    due = instant.get("/loans/l").body["balances"]["repayment"]["overdue"]
    paid = repayment(due, transactionDate=ago(days=1))
    assert instant.post("/loans/l:makeRepayment", paid).status == 200
    ahead = outcome(instant)
    assert ahead["creditScore"] > behind["creditScore"]
    # As of a moment before the repayment, the loan is late still.
    earlier = outcome(instant, timestamp=ago(days=2))
    assert earlier["rule"] == "arrears_over_30_days"
    assert outcome(instant, timestamp=ago(days=80))["type"] == "invalid"


def test_loans_made_elsewhere_count(instant: Caller) -> None:
    told = {"loanId": "x", "principalAmount": 500, "endDate": ago(days=20)}
    instant.borrower("c", loans=[told | {"completionDate": ago(days=21)}])
    instant.borrower("d", loans=[told])
    instant.borrower("e", loans=[{"loanId": "x"}])
    repaid = outcome(instant, accountId="borrower:c")
    assert repaid["creditScore"] == 300 + 2 * (12 + 25)
    unpaid = outcome(instant, accountId="borrower:d")
    assert unpaid["creditScore"] == 300
    unknown = outcome(instant, accountId="borrower:e")
    assert unknown["type"] == "invalid"


def test_a_loan_held_here_is_not_counted_again_as_told(instant: Caller) -> None:
    instant.loan("l", startDate=ago(days=10))
    told = {"loanId": "l", "endDate": ago(days=20), "completionDate": ago(days=21)}
    instant.call("PATCH", "/borrowers/b", {"loans": [told]})
    assert outcome(instant)["type"] == "invalid"


def test_a_loan_that_starts_after_the_timestamp_is_not_there_yet(instant: Caller) -> None:
    loan = instant.loan("l", startDate=ago(days=5))
    unpaid = loan["balances"]["repayment"]["unpaid"]
    paid = repayment(unpaid, transactionDate=ago(days=1), valueDate=ago(days=10))
    assert instant.post("/loans/l:makeRepayment", paid).status == 200
    assert outcome(instant, timestamp=ago(days=7))["type"] == "invalid"
    assert outcome(instant, timestamp=ago(days=4))["type"] != "invalid"
