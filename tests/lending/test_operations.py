"""The table of operations agrees with the facts in operations.csv, and paths are built safely."""

import csv
from pathlib import Path

import pytest

from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.operations import OPERATIONS

FACTS = list(csv.DictReader((Path(__file__).parent.parent / "operations.csv").open()))
IDS = {"projectId": "demo", "appId": "kenya", "borrowerId": "b", "accountId": "l"}


def listed(fact):
    return None if fact == "not shown" else tuple(fact.split())


def test_all_operations_are_there_in_the_order_of_the_spec():
    assert list(OPERATIONS) == [fact["operation"] for fact in FACTS]


@pytest.mark.parametrize("fact", FACTS, ids=[fact["operation"] for fact in FACTS])
def test_an_operation_says_what_the_spec_says(fact):
    operation = OPERATIONS[fact["operation"]]

    assert operation.name == fact["operation"]
    assert operation.method == fact["method"]
    assert operation.path == fact["path"]
    assert operation.scopes == tuple(fact["accepted_scopes"].split())
    assert operation.permission == fact["permission"]
    assert operation.list_parameters == listed(fact["list_parameters"])
    assert operation.filters == listed(fact["list_filters"])


def test_the_table_cannot_be_changed():
    with pytest.raises(TypeError):
        OPERATIONS["loans.get"] = OPERATIONS["loans.delete"]
    with pytest.raises(AttributeError):
        OPERATIONS["loans.get"].method = "DELETE"


def test_reads_are_the_gets_and_only_the_preview_beside_them_saves_nothing():
    gets = {fact["operation"] for fact in FACTS if fact["method"] == "GET"}

    assert {name for name, one in OPERATIONS.items() if one.is_read} == gets
    assert {name for name, one in OPERATIONS.items() if one.saves_nothing} == gets | {
        "borrowers.getOfferContracts"
    }


@pytest.mark.parametrize(
    ("name", "scope", "admitted"),
    [
        ("loans.get", "platform.lending", True),
        ("loans.get", "platform.lending:read", True),
        ("loans.get", "platform", False),
        ("loans.get", "platform.lending:write", False),
        ("loans.makeRepayment", "platform.lending:read platform.lending:write", True),
        ("borrowers.create", "platform", True),
        ("borrowers.create", "", False),
        ("borrowers.create", "platform.lending:writer", False),
    ],
)
def test_a_scope_admits_what_the_table_says(name, scope, admitted):
    assert OPERATIONS[name].admitted_by(scope) is admitted


@pytest.mark.parametrize(
    ("name", "methods", "path"),
    [
        ("loans.get", "colon", "/v1/projects/demo/apps/kenya/loans/l"),
        ("loans.makeRepayment", "colon", "/v1/projects/demo/apps/kenya/loans/l:makeRepayment"),
        ("loans.makeRepayment", "slash", "/v1/projects/demo/apps/kenya/loans/l/makeRepayment"),
        ("borrowers.getOffers", "slash", "/v1/projects/demo/apps/kenya/borrowers/b/getOffers"),
        ("products.list", "slash", "/v1/projects/demo/products"),
        ("assessmentTypes.list", "colon", "/v1/assessmentTypes"),
    ],
)
def test_a_path_is_filled_in(name, methods, path):
    assert OPERATIONS[name].url(custom_methods=methods, **IDS) == path


def test_a_refused_id_names_its_operation():
    with pytest.raises(InvalidId) as raised:
        OPERATIONS["borrowers.delete"].url(**IDS | {"borrowerId": ".."})

    assert raised.value.operation == "borrowers.delete"
    assert raised.value.saved == "no"


@pytest.mark.parametrize("missing", ["projectId", "appId", "borrowerId"])
def test_every_id_of_the_path_must_be_given(missing):
    ids = {name: value for name, value in IDS.items() if name != missing}

    with pytest.raises(KeyError):
        OPERATIONS["borrowers.get"].url(**ids)
