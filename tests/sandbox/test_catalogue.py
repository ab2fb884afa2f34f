"""Products and assessment types over HTTP (Spec: Product, AssessmentType)."""

from decimal import Decimal
from uuid import UUID

import pytest

from lendingadmin.sandbox.rules.lists import InvalidPageToken
from tests.sandbox.calling import Caller

PRODUCTS, TYPES = "/v1/projects/demo/products", "/v1/assessmentTypes"


def test_products_have_every_field(caller: Caller) -> None:
    products = caller.get(PRODUCTS).body["products"]
    assert len(products) >= 5
    assert {product["productType"] for product in products} == {"term", "flex", "bullet"}
    for product in products:
        assert set(product) == {
            "uid", "name", "status", "createdAt", "productId", "productType", "displayName",
            "displayPriority", "terms", "description", "skuId", "labels", "charges",
        }  # fmt: skip
        UUID(product["uid"])
        assert product["name"] == f"projects/demo/products/{product['productId']}"
        assert isinstance(product["terms"]["interest"]["baseRate"], Decimal)
        assert product["terms"]["period"].endswith(" days")
        for charge in product["charges"]:
            assert set(charge) == {
                "name", "kind", "action", "target", "valueType", "displayName", "value",
            }  # fmt: skip


def test_assessment_types_have_every_field(caller: Caller) -> None:
    kinds = caller.get(TYPES).body["assessmentTypes"]
    assert {kind["status"] for kind in kinds} == {0, 1, 2}
    for kind in kinds:
        assert set(kind) == {
            "uid", "name", "status", "createdAt", "assessmentTypeId", "category", "period",
            "displayName", "description", "settings",
        }  # fmt: skip
        assert kind["name"] == f"assessmentTypes/{kind['assessmentTypeId']}"
        assert set(kind["settings"]["apps"]) == {"channels", "platforms"}
        assert set(kind["settings"]["accounts"]) == {"categories", "accountTypes"}


@pytest.mark.parametrize(("path", "key"), [(PRODUCTS, "products"), (TYPES, "assessmentTypes")])
def test_both_can_be_paged(caller: Caller, path: str, key: str) -> None:
    whole = caller.get(path).body[key]
    seen = []
    params = {"pageSize": "3"}
    while True:
        answer = caller.get(path, **params).body
        seen += answer[key]
        if answer["nextPageToken"] is None:
            break
        params["pageToken"] = answer["nextPageToken"]
        wrong = caller.get(path, **params | {"pageSize": "2"})
        assert wrong.description == InvalidPageToken.description
    assert seen == whole


def test_products_of_another_project_are_not_there(caller: Caller) -> None:
    answer = caller.get("/v1/projects/else/products")
    assert answer.status == 404
    assert "else does not exist" in answer.description
