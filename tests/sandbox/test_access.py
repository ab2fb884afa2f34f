"""Who may do what (Spec: Scopes and permissions)."""

import csv
import re
from pathlib import Path

import pytest
import requests

from lendingadmin.sandbox.access import EVERYTHING, NEEDS, build_clients, read_client
from tests.sandbox.calling import Answer, Caller
from tests.sandbox_process import SandboxProcess

TABLE = list(csv.DictReader((Path(__file__).parents[1] / "operations.csv").open()))
_APP = "/v1/projects/{projectId}/apps/{appId}"
CALLS = {
    row["operation"]: (
        row["method"],
        re.sub(r"\{\w+\}", "none", row["path"].removeprefix(_APP).replace("{projectId}", "demo")),
    )
    for row in TABLE
}
SCOPES = ("platform", "platform.lending", "platform.lending:read", "platform.lending:write")


def test_the_table_is_the_specs() -> None:
    table = {
        row["operation"]: (tuple(row["accepted_scopes"].split()), row["permission"])
        for row in TABLE
    }
    assert {name: (need.scopes, need.permission) for name, need in NEEDS.items()} == table


@pytest.fixture(scope="module")
def callers(sandbox: SandboxProcess) -> dict[str, Caller]:
    return {scope: Caller(sandbox, "access", scope) for scope in SCOPES}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("operation", CALLS)
def test_each_operation_takes_the_scopes_of_the_table(
    callers: dict[str, Caller], operation: str, scope: str
) -> None:
    answer = callers[scope].call(*CALLS[operation])
    accepted = next(row for row in TABLE if row["operation"] == operation)["accepted_scopes"]
    if scope in accepted.split():
        assert answer.status in (200, 400, 404), answer.text
    else:
        assert answer.status == 403
        for name in accepted.split():
            assert name in answer.description


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"}, {"Authorization": ""}],
)
def test_each_operation_needs_a_known_token(
    sandbox: SandboxProcess, operation: str, headers: dict[str, str]
) -> None:
    method, path = CALLS[operation]
    whole = path if path.startswith("/v1") else "/v1/projects/demo/apps/x" + path
    answer = Answer(requests.request(method, sandbox.base_url + whole, headers=headers))
    assert answer.status == 401
    assert "token" in answer.description
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.headers["X-Request-Id"]


def test_a_client_without_the_permission_is_told_which(
    sandbox: SandboxProcess, sandbox_app: str
) -> None:
    reader = Caller(sandbox, sandbox_app, client=("reader", "reader-secret"))
    assert reader.get("/loans").status == 200
    answer = reader.get("/loans/none")
    assert answer.status == 403
    assert "lending.loans.get" in answer.description


def test_clients_are_read_with_their_permissions() -> None:
    texts = ("a:b:lending.loans.get lending.loans.list", "c:d:", "e:f")
    known = build_clients(map(read_client, texts))
    assert known["sandbox"].permissions == known["e"].permissions == EVERYTHING
    assert known["a"].permissions == {"lending.loans.get", "lending.loans.list"}
    assert known["a"].has_secret("b")
    assert not known["a"].has_secret("sandbox-secret")
    assert known["c"].permissions == set()


@pytest.mark.parametrize(
    "text", ["", "a", "a:", "a:b:lending.loans.steal", ":b:", "a::lending.loans.get"]
)
def test_clients_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="id:secret:permission"):
        read_client(text)
