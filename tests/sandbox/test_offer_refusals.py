"""Requests for offers that start nothing (Spec: Borrowers, 4)."""

from typing import Any

import pytest

from lendingadmin.sandbox.rules.invalid import NotFound
from tests.sandbox.calling import Caller, ago
from tests.sandbox.test_offers import BOTH_FORMS, CREDIT, HISTORY, ask


@pytest.mark.parametrize("body", [{}, {"requestId": None}, {"else": 1}])
def test_a_body_with_nothing_is_refused(lender: Caller, body: dict[str, object]) -> None:
    answer = lender.post("/borrowers/b:getOffers", body)
    assert answer.status == 400
    assert answer.description.startswith("body: must hold at least one of assessmentType")
    assert lender.get("/assessments").body["assessments"] == []


@pytest.mark.parametrize(
    ("fields", "status", "field"),
    [
        ({"assessmentType": "assessmentTypes/none"}, 400, "assessmentType"),
        ({"assessmentType": "credit-90-days"}, 400, "assessmentType"),
        ({"assessmentType": 90}, 400, "assessmentType"),
        ({"assessmentType": "assessmentTypes/credit-60-days"}, 422, "deprecated"),
        ({"timestamp": ago(days=-1)}, 400, "timestamp"),
        ({"timestamp": "2026-01-01"}, 400, "timestamp"),
        ({"request_id": ""}, 400, "requestId"),
        ({"requestId": 7}, 400, "requestId"),
        ({"requestId": "r" * 201}, 400, "requestId"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_starts(
    lender: Caller, fields: dict[str, Any], status: int, field: str
) -> None:
    answer = ask(lender, **fields)
    assert answer.status == status
    assert field in answer.description
    assert lender.post("/borrowers/b:getOffers", {"requestId": "r-1"}).status == 404
    assert lender.get("/assessments").body["assessments"] == []


def test_an_assessment_type_for_others_is_refused(caller: Caller) -> None:
    caller.borrower(category="company")
    answer = ask(caller, assessmentType=CREDIT)
    assert answer.status == 422
    assert "does not assess a company" in answer.description


@BOTH_FORMS
def test_what_does_not_exist_gets_404(lender: Caller, form: str) -> None:
    answer = lender.post(f"/borrowers/b{form}getOffers", {"requestId": "r-0"})
    assert answer.status == 404
    assert str(NotFound("r-0")) in answer.description
    elsewhere = lender.app.replace("/demo/", "/else/")
    for path, what in (
        ("/borrowers/none", "Borrower none"),
        (elsewhere + "/borrowers/b", "Project"),
    ):
        for body in ({"assessmentType": HISTORY}, {"requestId": "r-0"}):
            answer = lender.post(f"{path}{form}getOffers", body)
            assert answer.status == 404
            assert what in answer.description
