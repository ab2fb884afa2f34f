"""The OpenAPI document and its page (Spec: Endpoints, Authentication)."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest
import requests

from lendingadmin.sandbox.api.examples import EXAMPLES
from tests.sandbox.calling import Answer, Caller
from tests.sandbox_process import SandboxProcess

TABLE = list(csv.DictReader((Path(__file__).parents[1] / "operations.csv").open()))
NULLABLE = {"type": "null"}


@pytest.fixture(scope="module")
def document(sandbox: SandboxProcess) -> Any:
    return requests.get(f"{sandbox.base_url}/openapi.json", timeout=10).json()


def operations(document: Any) -> dict[str, Any]:
    return {
        one["operationId"]: (method.upper(), path, one)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
    }


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["operation"])
def test_every_operation_of_the_spec_is_described(document: Any, row: dict[str, str]) -> None:
    found = operations(document)
    method, path, one = found[row["operation"]]
    assert f"{method} {path}" == f"{row['method']} {row['path']}"
    scopes = {scope for need in one["security"] for scope in need.get("oauth2", ())}
    assert scopes == set(row["accepted_scopes"].split())
    assert row["permission"] in one["description"]
    if ":" in path:
        slash = found[row["operation"] + ".slash"]
        assert slash[:2] == (method, path.replace(":", "/"))
        assert slash[2]["responses"] == one["responses"]
        assert slash[2]["requestBody"] == one["requestBody"]


def test_nothing_else_is_described(document: Any) -> None:
    names = {name.removesuffix(".slash") for name in operations(document)}
    assert names == {row["operation"] for row in TABLE} | {"token"}


def test_every_answer_has_a_schema(document: Any) -> None:
    for name, (_, _, one) in operations(document).items():
        assert {"400", "401", "503"} <= set(one["responses"]), name
        for status, response in one["responses"].items():
            if status == "204":
                assert "content" not in response
                continue
            schema = response["content"]["application/json"]["schema"]
            named = schema["$ref"].rpartition("/")[2]
            assert (named == "Error") == (int(status) >= 400), (name, status)
    error = document["components"]["schemas"]["Error"]
    assert "error_description" in error["required"]


def test_parameters_have_the_specs_names_and_limits(document: Any) -> None:
    for _, path, one in operations(document).values():
        parameters = {each["name"]: each for each in one["parameters"]}
        in_path = {name for name, each in parameters.items() if each["in"] == "path"}
        assert in_path == set(re.findall(r"{(\w+)}", path))
    listed = {each["name"]: each["schema"] for each in _list(document, "loans.list")}
    assert set(listed) >= {"filter", "pageSize", "pageToken", "order"}
    assert (listed["pageSize"]["minimum"], listed["pageSize"]["maximum"]) == (1, 1000)
    assert listed["order"]["enum"] == ["asc", "desc"]


def _list(document: Any, name: str) -> Any:
    return operations(document)[name][2]["parameters"]


@pytest.mark.parametrize(
    ("schema", "field", "expected"),
    [
        ("AnsweredLoan", "loanAmount", {"type": "number"}),
        ("AnsweredLoan", "result", NULLABLE),
        ("AnsweredLoan", "settlementDate", NULLABLE),
        ("AnsweredDevice", "serialNumber", NULLABLE),
        ("AnsweredBorrower", "individual", NULLABLE),
        ("AnsweredLoanSummary", "completionDate", NULLABLE),
        ("Balance", "overdue", {"type": "number"}),
        ("LoanPage", "nextPageToken", NULLABLE),
        ("LendingContract", "versionNo", {"type": "number"}),
        ("AnsweredEvent", "category", NULLABLE),
        ("AnsweredAssessment", "result", NULLABLE),
        ("OfferOperation", "result", NULLABLE),
        ("NewRepayment", "amount", {"type": "number"}),
    ],
)
def test_types_and_nulls(document: Any, schema: str, field: str, expected: Any) -> None:
    told = document["components"]["schemas"][schema]["properties"][field]
    choices = told.get("anyOf", [told])
    types = [{"type": kind} for one in choices for kind in _types(one)]
    assert expected in types


def _types(one: dict[str, Any]) -> list[Any]:
    kind = one.get("type")
    return kind if isinstance(kind, list) else [kind]


def test_numbers_are_never_described_as_text(document: Any) -> None:
    assert "^(?!^[-+.]*$)" not in str(document)  # how pydantic writes Decimals that may be text


def test_one_gets_a_token_as_the_document_says(document: Any, sandbox: SandboxProcess) -> None:
    schemes = document["components"]["securitySchemes"]
    flow = schemes["oauth2"]["flows"]["clientCredentials"]
    assert set(flow["scopes"]) == {
        "platform", "platform.lending", "platform.lending:read", "platform.lending:write",
    }  # fmt: skip
    _, path, one = operations(document)["token"]
    assert flow["tokenUrl"] == path
    form = one["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
    assert set(form["required"]) == {"client_id", "client_secret", "grant_type", "scope"}
    sent = {
        "client_id": sandbox.client_id,
        "client_secret": sandbox.client_secret,
        "grant_type": "client_credentials",
        "scope": "platform.lending:read",
    }
    answer = Answer(requests.post(sandbox.base_url + path, data=sent, timeout=10))
    assert answer.status == 200


def test_the_examples_work_in_their_order(document: Any, caller: Caller) -> None:
    found = operations(document)
    assert set(EXAMPLES) == {
        name for name, (_, _, one) in found.items() if "requestBody" in one and "." in name
    } - {name for name in found if name.endswith(".slash")}
    for name, body in EXAMPLES.items():
        method, path, _ = found[name]
        for key, value in {"borrowerId": "b", "accountId": "l"}.items():
            path = path.replace(f"{{{key}}}", value)
        answer = caller.call(method, path.partition("{appId}")[2], body)
        assert answer.status == 200, (name, answer.text)


def test_the_page_and_its_files_come_from_the_package(sandbox: SandboxProcess) -> None:
    page = requests.get(f"{sandbox.base_url}/docs", timeout=10)
    assert page.status_code == 200
    assert page.headers["Content-Type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    assert not re.search(r"https?://|//\w", page.text)  # no other host
    assert '"validatorUrl": "none"' in page.text
    files = re.findall(r'(?:href|src)="([^"]+)"', page.text)
    assert len(files) >= 3
    for file in files:
        answer = requests.get(sandbox.base_url + file, timeout=10)
        assert answer.status_code == 200, file
        assert answer.content


@pytest.mark.parametrize(
    "path", ["none.js", "", "../ninja/nothing", "..%2f..%2fschema.py", "%2e%2e/%2e%2e/schema.py"]
)
def test_other_files_are_not_served(sandbox: SandboxProcess, path: str) -> None:
    answer = Answer(requests.get(f"{sandbox.base_url}/static/ninja/{path}", timeout=10))
    assert answer.status == 404
    assert answer.description
