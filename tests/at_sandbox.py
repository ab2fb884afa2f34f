"""The dashboard pointed at the running sandbox, at an app of this test's own."""

from contextlib import suppress
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import AppRole
from tests.roles import give_roles
from tests.sandbox.calling import Caller
from tests.sandbox_process import SandboxProcess


@pytest.fixture
def app(sandbox: SandboxProcess, sandbox_app: str, settings: Any) -> LendingApp:
    """The one app of the dashboard: fresh, in Kenyan shillings and Nairobi time."""
    settings.LENDING_BASE_URL = sandbox.base_url
    settings.LENDING_AUTH_URL = sandbox.auth_url
    own = LendingApp(sandbox_app, "KES", ZoneInfo("Africa/Nairobi"))
    held_before = settings.LENDING_APPS
    settings.LENDING_APPS = (own,)
    # Whoever was made before holds in this app what they hold in the others. Where the test may not
    # use a database yet, nobody was.
    with suppress(RuntimeError):
        for one in AppRole.objects.filter(app_id=held_before[0].app_id):
            give_roles(one.person, one.role)
    return own


@pytest.fixture
def book(app: LendingApp, sandbox: SandboxProcess) -> Caller:
    """That app, with borrower `b` (Anne Wanjiru) who holds loan `l` of 1,200.00."""
    caller = Caller(sandbox, app.app_id)
    person = {"surname": "Wanjiru", "othernames": "Anne", "phoneNumber": "+254700000001"}
    caller.borrower(individual=person)
    caller.loan()
    return caller
