"""How far one request runs through the house: `make trace`.

Counts the functions of the dashboard that a request calls, the files that they stand in, and the
calls from one file into another, for one repayment's POST and for one page of the loans list. The
requests before warm up what is read once in a process.
"""

# Django must be set up before its models can be imported.
# ruff: noqa: E402

import logging
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from zoneinfo import ZoneInfo

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from django.conf import settings
from django.test import Client
from django.test.utils import setup_databases, setup_test_environment, teardown_databases

from lendingadmin.core.policies import services as policies
from tests.repayments.pages import enter, hidden
from tests.roles import give_roles
from tests.sandbox.calling import Caller
from tests.sandbox_process import ROOT, running_sandbox

HOUSE = str(ROOT / "lendingadmin") + os.sep
APP = "traced"


@dataclass
class Trace:
    """What was called: functions, and calls between two files of the house."""

    functions: set[CodeType] = field(default_factory=set)
    moves: int = 0

    @property
    def files(self) -> set[str]:
        """The files that the functions stand in."""
        return {code.co_filename for code in self.functions}

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """The profiling hook."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(HOUSE) or code.co_name[0] == "<":
            return
        self.functions.add(code)
        caller = frame.f_back
        while caller and not caller.f_code.co_filename.startswith(HOUSE):
            caller = caller.f_back
        self.moves += caller is not None and caller.f_code.co_filename != code.co_filename


@contextmanager
def traced() -> Iterator[Trace]:
    """Note what this thread, and those that it starts, call within."""
    trace = Trace()
    threading.setprofile(trace.note)
    sys.setprofile(trace.note)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def main() -> None:
    """Print one line for each of the two requests."""
    logging.disable(logging.INFO)
    setup_test_environment()
    databases = setup_databases(verbosity=0, interactive=False)
    try:
        with tempfile.TemporaryDirectory() as name, running_sandbox(Path(name)) as sandbox:
            settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = sandbox.base_url
            app = type(settings.LENDING_APPS[0])(APP, "KES", ZoneInfo("Africa/Nairobi"))
            settings.LENDING_APPS = (app,)
            policies.RECENT_SECONDS = 10**9  # read once, as what else is read once in a process
            lender = Caller(sandbox, APP)
            lender.borrower()
            lender.loan()
            desk = Client()
            desk.force_login(make_person())
            print(f"{'':<24}functions   files   moves")  # noqa: T201
            show("a repayment's POST", *(post_repayment(desk, app, x) for x in ("TX-1", "TX-2")))
            show("a page of the loans list", *(read_loans(desk) for _ in range(2)))
    finally:
        teardown_databases(databases, verbosity=0)


def make_person() -> Any:
    """Somebody who records repayments."""

    from lendingadmin.core.staff.models import User

    person = User.objects.create_user("clerk")
    give_roles(person, "support")
    return person


def post_repayment(desk: Client, app: Any, external_id: str) -> Trace:
    """Fills in the form, and presses the button of the confirm step."""
    confirm = enter(desk, app, externalId=external_id, amount="10.00")
    fields = hidden(desk.get(confirm))
    with traced() as trace:
        answer = desk.post(confirm, fields)
    assert answer.status_code == 302, answer.status_code
    return trace


def read_loans(desk: Client) -> Trace:
    """Opens the first page of the loans list."""
    with traced() as trace:
        answer = desk.get(f"/apps/{APP}/loans/")
    assert answer.status_code == 200, answer.status_code
    return trace


def show(what: str, *traces: Trace) -> None:
    """Print what the last of several equal requests called."""
    last = traces[-1]
    print(f"{what:<24}{len(last.functions):>9}{len(last.files):>8}{last.moves:>8}")  # noqa: T201


if __name__ == "__main__":
    main()
