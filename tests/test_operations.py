"""Each of the spec's operations has its client method, permission, roles, page and test.

The table is written from the spec (Endpoints; Scopes and permissions) and agrees with the copy of
operations.csv beside it.
"""

import ast
import csv
from pathlib import Path
from typing import Any

import pytest
from django.urls import get_resolver

from lendingadmin.core.staff.roles import RIGHTS, ROLES
from lendingadmin.lending.client import AppClient, LendingClient
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.web.access import rule_of

HERE = Path(__file__).parent
FACTS = {row["operation"]: row for row in csv.DictReader((HERE / "operations.csv").open())}

# Operation: the client's method, the page's route, the test that goes through it.
TABLE = {
    "borrowers.list": (
        "borrowers.list",
        "borrowers",
        "borrowers/test_pages.py::test_list_and_page",
    ),
    "borrowers.create": (
        "borrowers.create",
        "borrower-new",
        "borrowers/test_adding.py::test_a_company",
    ),
    "borrowers.get": ("borrowers.get", "borrower", "borrowers/test_pages.py::test_list_and_page"),
    "borrowers.patch": (
        "borrowers.patch",
        "borrower-edit",
        "borrowers/test_editing.py::test_at_the_sandbox",
    ),
    "borrowers.delete": (
        "borrowers.delete",
        "borrower-delete",
        "borrowers/test_adding.py::test_deleting_wants_the_id_and_happens_once",
    ),
    "borrowers.getOffers": (
        "borrowers.get_offers",
        "offer-new",
        "offers/test_asking.py::test_against_the_sandbox",
    ),
    "borrowers.getOfferContracts": (
        "borrowers.get_offer_contracts",
        "contracts",
        "browser/test_whole_day.py::test_from_registering_to_settled",
    ),
    "loans.list": ("loans.list", "loans", "loans/test_pages.py::test_filters_reach_the_service"),
    "loans.create": (
        "loans.create",
        "loan-new",
        "browser/test_whole_day.py::test_from_registering_to_settled",
    ),
    "loans.get": ("loans.get", "loan", "loans/test_pages.py::test_list_and_page"),
    "loans.delete": (
        "loans.delete",
        "loan-delete",
        "loans/test_writing.py::test_a_pending_loan_is_deleted_at_the_sandbox",
    ),
    "loans.makeRepayment": (
        "loans.make_repayment",
        "repayment-new",
        "repayments/test_pages.py::test_from_the_form_to_the_receipt",
    ),
    "assessments.list": (
        "assessments.list",
        "assessments",
        "assessments/test_pages.py::test_the_list_has_it_and_its_pages_follow",
    ),
    "assessments.create": (
        "assessments.create",
        "assessment-new",
        "assessments/test_pages.py::test_it_is_started_waited_for_and_read",
    ),
    "assessments.get": (
        "assessments.get",
        "assessment",
        "assessments/test_pages.py::test_it_is_started_waited_for_and_read",
    ),
    "products.list": (
        "products.list",
        "products",
        "catalogue/test_pages.py::test_products_and_one_of_them",
    ),
    "events.list": (
        "events.list",
        "events",
        "events/test_pages.py::test_every_filter_reaches_the_service",
    ),
    "events.create": (
        "events.create",
        "event-new",
        "events/test_reporting.py::test_pasted_checked_sent_and_read",
    ),
    "assessmentTypes.list": (
        "assessment_types.list",
        "assessment-types",
        "catalogue/test_pages.py::test_assessment_types",
    ),
}


def test_the_table_is_the_spec_s() -> None:
    assert list(TABLE) == list(FACTS) == list(OPERATIONS)


@pytest.mark.parametrize("name", TABLE)
def test_an_operation_has_method_permission_roles_page_and_test(name: str) -> None:
    method, route, test = TABLE[name]
    fact = FACTS[name]
    assert callable(client_method(method))
    right = RIGHTS[fact["permission"]]
    assert right.roles == tuple(role for role in ROLES if fact[role] == "yes")
    rule = rule_of(view_of(route))
    assert rule is not None and rule.permissions and rule.permissions[0] == fact["permission"]
    file, _, function = test.partition("::")
    assert function in functions_of(HERE / file)


def client_method(path: str) -> Any:
    """A method of the client by its dotted path, at the app's level or the project's."""
    client = LendingClient("http://127.0.0.1:9", "demo", tokens=None)  # type: ignore[arg-type]
    resource, _, method = path.partition(".")
    level: AppClient | LendingClient = client if hasattr(client, resource) else client.app("kenya")
    return getattr(getattr(level, resource), method)


def view_of(route: str) -> Any:
    """The view behind a route's name."""
    patterns = {pattern.name: pattern.callback for pattern in flat(get_resolver().url_patterns)}
    return patterns[route]


def flat(patterns: Any) -> list[Any]:
    """All patterns, those of included URLconfs too."""
    found = []
    for pattern in patterns:
        found += flat(pattern.url_patterns) if hasattr(pattern, "url_patterns") else [pattern]
    return found


def functions_of(file: Path) -> set[str]:
    """The names of the functions that a file defines, those of its classes too."""
    tree = ast.parse(file.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
