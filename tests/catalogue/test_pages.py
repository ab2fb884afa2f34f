"""Products and assessment types: against the sandbox, and against services that are odd."""

from typing import Any

import pytest
import simplejson
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.web.display.assessments import type_warning
from tests.conftest import ClientOf
from tests.faults.behaviours import reply, token
from tests.faults.server import FaultServer
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db
ROLE = "viewer"


def test_products_and_one_of_them(desk: Client, app: LendingApp) -> None:
    listed = desk.get("/products/")
    assert 'href="/products/term-6-months/"' in listed.content.decode()
    page = desk.get("/products/term-6-months/").content.decode()
    for words in (
        "Six-month loan",
        "6 months",
        "the reducing balance",
        "24 %",
        "Risk premium",
        "added to the base rate, an absolute value",
        "2.5 % deducted from the amount paid out",
        "1 % added to an instalment",
        "TERM6",
    ):
        assert words in page, words


def test_a_product_is_found_by_its_uid(desk: Client, app: LendingApp) -> None:
    uid = desk.get("/products/").context["list"].items[0].uid
    assert "Six-month loan" in desk.get(f"/products/{uid}/").content.decode()


def test_a_product_that_is_not_listed(desk: Client, app: LendingApp) -> None:
    answer = desk.get("/products/nothing/")
    assert answer.status_code == 404
    assert list_marks(answer, "finding") == ["not-listed"]


def test_assessment_types(desk: Client, app: LendingApp) -> None:
    page = desk.get("/assessment-types/").content.decode()
    for words in (
        "Credit, 90 days",
        "beta",
        "deprecated",
        "in beta testing",
        "Channels: mobile, web",
        "Platforms: android, ios",
        "Borrowers: individual, company",
        "Account types: borrower",
        "90 days",
    ):
        assert words in page, words


def test_an_assessment_type_has_a_page(desk: Client, app: LendingApp) -> None:
    page = desk.get("/assessment-types/credit-90-days/").content.decode()
    for words in ("Credit, 90 days", "3 months", "Platforms", "android", "credit-90-days"):
        assert words in page, words
    assert "a borrower in kenya" not in page
    old = desk.get("/assessment-types/credit-60-days/").content.decode()
    assert type_warning(2) in old
    gone = desk.get("/assessment-types/nothing/")
    assert gone.status_code == 404
    assert list_marks(gone, "finding") == ["not-listed"]


def test_from_a_type_an_officer_goes_on_to_assess(
    client_of: ClientOf, officer: User, app: LendingApp
) -> None:
    desk = client_of(officer)
    page = desk.get("/assessment-types/credit-90-days/").content.decode()
    there = f"/apps/{app.app_id}/assessments/new?assessmentType=assessmentTypes%2Fcredit-90-days"
    assert f'href="{there}"' in page
    assert (
        'value="assessmentTypes/credit-90-days" required checked'
        in desk.get(there).content.decode()
    )


def test_what_the_spec_does_not_name_of_a_type_is_shown_as_it_came(
    desk: Client, fault_server: FaultServer, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    kind = {"assessmentTypeId": "T-1", "uid": "9e", "tiers": {"a": [1, 2]}}
    fault_server.on("GET /v1/assessmentTypes", reply({"assessmentTypes": [kind]}))
    page = desk.get("/assessment-types/9e/").content.decode()
    assert "tiers.a" in page and "[1, 2]" in page


def test_pages_of_a_list_follow_one_another(
    desk: Client, fault_server: FaultServer, settings: Any
) -> None:
    serve(fault_server, settings, [{"productId": "P-1"}], "next page")
    assert "pageToken=next+page" in desk.get("/products/").content.decode()


GOOD: dict[str, Any] = {
    "productId": "P-1",
    "uid": "7f",
    "productType": "term",
    "status": 1,
    "displayName": "Loan",
    "displayPriority": 1,
    "description": "x",
    "skuId": None,
    "createdAt": "2026-01-01T00:00:00.000Z",
    "labels": {"colour": "red"},
    "terms": {
        "period": "180 days",
        "repaymentInterval": "30 days",
        "grace": "3 days",
        "interest": {
            "type": "reducing_balance",
            "termPeriod": "365 days",
            "baseRate": 0.24,
            "maxEffectiveRate": 0.45,
            "riskPremiumRate": 0.06,
            "adjustment": {"action": "add", "target": "base_rate", "valueType": "absolute"},
        },
    },
    "charges": [
        {
            "name": "c/1",
            "kind": "fee",
            "action": "deduct",
            "target": "disbursement",
            "valueType": "ratio",
            "displayName": "Fee",
            "value": 0.025,
        }
    ],
}


def serve(server: FaultServer, settings: Any, items: list[Any], following: object = None) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = server.url
    server.on("POST /v1/oauth2/token", token())
    body = simplejson.dumps({"products": items, "nextPageToken": following})
    server.on("GET /v1/projects/demo/products", reply(body))


def test_what_the_spec_does_not_name_is_shown_as_it_came(
    desk: Client, fault_server: FaultServer, settings: Any
) -> None:
    odd = GOOD | {"tiers": [1, 2], "charges": [GOOD["charges"][0] | {"action": "waive_half"}]}
    serve(fault_server, settings, [odd])
    page = desk.get("/products/P-1/").content.decode()
    for words in ("tiers", "[1, 2]", "colour", "red", "grace", "3 days", "2.5 % waive half"):
        assert words in page, words
