"""A small caller of the service for the filler: token, JSON with Decimals, one session a thread."""

import threading
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import requests
import simplejson

_TIMEOUT = (2, 30)


class FillError(Exception):
    """The sandbox did not take what it was told; the sentence says what and why."""


class Service:
    """The running sandbox, addressed from outside as any client would (Spec: Authentication)."""

    def __init__(self, address: str, project_id: str, client_id: str, secret: str) -> None:
        self._address = address.rstrip("/")
        self._project = quote(project_id, safe="")
        self._form = {
            "client_id": client_id,
            "client_secret": secret,
            "grant_type": "client_credentials",
            "scope": "platform.lending",
        }
        self._local = threading.local()
        self._token = self._fetch_token()

    def products(self) -> list[Mapping[str, Any]]:
        """The project's products (Spec: Products, List)."""
        _, answer = self._call("GET", f"/v1/projects/{self._project}/products")
        return list(answer["products"])

    def loan(self, app_id: str, account_id: str) -> Mapping[str, Any] | None:
        """One loan, or None where there is none (Spec: Loans, Get)."""
        status, answer = self._call("GET", self._app(app_id, "loans", account_id), refused=(404,))
        return None if status == 404 else answer

    def create(self, app_id: str, collection: str, body: Mapping[str, Any]) -> Any | None:
        """Create a record; None when it is there already (409)."""
        status, answer = self._call("POST", self._app(app_id, collection), body, refused=(409,))
        return None if status == 409 else answer

    def repay(self, app_id: str, account_id: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Record a repayment; the answer is the loan (Spec: Loans, MakeRepayment)."""
        path = self._app(app_id, "loans", account_id) + ":makeRepayment"
        answer: Mapping[str, Any] = self._call("POST", path, body)[1]
        return answer

    def _app(self, app_id: str, *parts: str) -> str:
        path = f"/v1/projects/{self._project}/apps/{quote(app_id, safe='')}"
        return "/".join((path, *(quote(part, safe="") for part in parts)))

    def _session(self) -> requests.Session:
        if not hasattr(self._local, "session"):
            session = requests.Session()
            session.trust_env = False
            self._local.session = session
        session = self._local.session
        assert isinstance(session, requests.Session)  # noqa: S101 - for the type checker
        return session

    def _fetch_token(self) -> str:
        try:
            response = self._session().post(
                f"{self._address}/v1/oauth2/token", data=self._form, timeout=_TIMEOUT
            )
        except requests.RequestException as error:
            raise FillError(f"No sandbox answers at {self._address}.") from error
        if response.status_code != 200:
            raise FillError(f"The sandbox gave no token: {response.status_code}.")
        return str(response.json()["access_token"])

    def _call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        refused: tuple[int, ...] = (),
    ) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else simplejson.dumps(body, use_decimal=True)
        try:
            response = self._session().request(
                method, self._address + path, data=data, headers=headers, timeout=_TIMEOUT
            )
        except requests.RequestException as error:
            raise FillError(f"{method} {path}: the sandbox stopped answering.") from error
        if response.status_code in refused:
            return response.status_code, None
        if not response.ok:
            raise FillError(f"{method} {path}: {response.status_code} {response.text[:300]}")
        return response.status_code, simplejson.loads(response.text, parse_float=Decimal)
