"""The token issuer (Spec: Token request, Using the token)."""

import time
from typing import Any

import pytest
import requests

from tests.sandbox.calling import Answer, Caller
from tests.sandbox_process import SandboxProcess, running_sandbox

FORM = {
    "client_id": "sandbox",
    "client_secret": "sandbox-secret",
    "grant_type": "client_credentials",
    "scope": "platform.lending",
}


def ask(sandbox: SandboxProcess, **changes: Any) -> Answer:
    form = {name: value for name, value in (FORM | changes).items() if value is not None}
    return Answer(requests.post(f"{sandbox.auth_url}/v1/oauth2/token", data=form))


def test_gives_a_bearer_token_with_its_scope_and_expiry(sandbox: SandboxProcess) -> None:
    answer = ask(sandbox)
    assert answer.status == 200
    assert set(answer.body) == {"access_token", "token_type", "expires_at", "scope"}
    assert answer.body["token_type"] == "Bearer"
    assert answer.body["scope"] == "platform.lending"
    assert answer.body["expires_at"] - time.time() == pytest.approx(3600, abs=30)
    assert "X-Request-Id" in answer.headers


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"client_secret": "wrong"}, 401),
        ({"client_id": "nobody"}, 401),
        ({"client_id": None}, 401),
        ({"client_secret": None}, 401),
        ({"client_secret": "\u20ac"}, 401),
        ({"grant_type": "password"}, 400),
        ({"grant_type": None}, 400),
        ({"scope": "everything"}, 400),
        ({"scope": None}, 400),
    ],
)
def test_refuses_what_is_wrong(
    sandbox: SandboxProcess, changes: dict[str, Any], status: int
) -> None:
    answer = ask(sandbox, **changes)
    assert answer.status == status
    assert answer.description
    assert "access_token" not in answer.body


def test_takes_a_form_only(sandbox: SandboxProcess) -> None:
    answer = Answer(requests.post(f"{sandbox.auth_url}/v1/oauth2/token", json=FORM))
    assert answer.status == 415
    assert answer.description


@pytest.mark.exhaustive
def test_an_expired_token_gets_401(tmp_path: Any) -> None:
    with running_sandbox(tmp_path, token_seconds=2) as brief:
        caller = Caller(brief, "app")
        assert caller.get("/loans").status == 200
        time.sleep(2.1)
        answer = caller.get("/loans")
    assert answer.status == 401
    assert "expired" in answer.description
