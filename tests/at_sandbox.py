"""The dashboard pointed at the running sandbox, at an app of this test's own."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.gateway import LendingApp
from tests.sandbox.calling import Caller
from tests.sandbox_process import SandboxProcess


@pytest.fixture
def app(sandbox: SandboxProcess, sandbox_app: str, settings: Any) -> LendingApp:
    """The one app of the dashboard: fresh, in Kenyan shillings and Nairobi time."""
    settings.LENDING_BASE_URL = sandbox.base_url
    settings.LENDING_AUTH_URL = sandbox.auth_url
    own = LendingApp(sandbox_app, "KES", ZoneInfo("Africa/Nairobi"))
    settings.LENDING_APPS = (own,)
    return own


@pytest.fixture
def book(app: LendingApp, sandbox: SandboxProcess) -> Caller:
    """That app, with borrower `b` (Anne Wanjiru) who holds loan `l` of 1,200.00."""
    caller = Caller(sandbox, app.app_id)
    person = {"surname": "Wanjiru", "othernames": "Anne", "phoneNumber": "+254700000001"}
    caller.borrower(individual=person)
    caller.loan()
    return caller
