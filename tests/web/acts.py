"""The writes other than repayments, each as its forms make it, up to the last click."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.db.models import F
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.writes import services
from lendingadmin.money.writes.models import Check, Write
from tests.borrowers.forms import PERSON, filled
from tests.events import samples
from tests.faults.behaviours import reset
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller, ago

Form = tuple[str, dict[str, str]]


@dataclass(frozen=True)
class Act:
    """`prepare` fills the forms in and gives address and fields of the one that sends.

    `line` is what the write's request begins with, after the app's path; `there` tells whether
    the service has done it.
    """

    operation: str
    line: tuple[str, str]
    prepare: Callable[[Client, LendingApp, Caller], Form]
    there: Callable[[Caller], bool]

    def __str__(self) -> str:
        return self.operation

    def match(self, book: Caller) -> str:
        """What the request of this write has in its line."""
        method, path = self.line
        return f"{method} {book.app}{path}"


def _url(app: LendingApp, rest: str) -> str:
    return f"/apps/{app.app_id}/{rest}"


def _register(desk: Client, app: LendingApp, book: Caller) -> Form:
    url = _url(app, "borrowers/new")
    devices = '[{"deviceId": "d-1"}]'
    return url, filled(desk.get(url), borrowerId="n-1", json__devices=devices, **PERSON)


def _change(desk: Client, app: LendingApp, book: Caller) -> Form:
    url = _url(app, "borrowers/b/edit")
    answer = desk.post(url, filled(desk.get(url), individual__surname="Kamau"))
    return answer.headers["Location"], {}


def _delete_borrower(desk: Client, app: LendingApp, book: Caller) -> Form:
    book.borrower("gone")
    url = _url(app, "borrowers/gone/delete")
    return url, filled(desk.get(url), borrowerId="gone")


def _make_loan(desk: Client, app: LendingApp, book: Caller) -> Form:
    url = _url(app, "loans/new")
    fields = {"borrowerId": "b", "loanAmount": "800", "contract": '{"productId": "term-6-months"}'}
    return url, filled(desk.get(url), accountId="l-2", **fields)


def _delete_loan(desk: Client, app: LendingApp, book: Caller) -> Form:
    book.loan("later", startDate=ago(days=-30))
    url = _url(app, "loans/later/delete")
    return url, filled(desk.get(url))


def _report(desk: Client, app: LendingApp, book: Caller) -> Form:
    confirm = _checked(desk, app)
    return confirm, {"token": samples.token_of(desk.get(confirm))}


def _checked(desk: Client, app: LendingApp) -> str:
    return str(desk.post(samples.new_url(app), samples.pasted(desk, app)).headers["Location"])


def _ask(desk: Client, app: LendingApp, book: Caller) -> Form:
    url = _url(app, "borrowers/b/offers/new")
    kind = {"assessmentType": "assessmentTypes/credit-90-days"}
    return url, filled(desk.get(url)) | kind


def _assess(desk: Client, app: LendingApp, book: Caller) -> Form:
    url = _url(app, "assessments/new")
    kind = {"assessmentType": "assessmentTypes/credit-90-days"}
    return url, filled(desk.get(url, {"accountId": "borrower:b"})) | kind


def _has(path: str) -> Callable[[Caller], bool]:
    return lambda book: bool(book.get(path).status == 200)


def _lacks(path: str) -> Callable[[Caller], bool]:
    return lambda book: bool(book.get(path).status == 404)


def _kamau(book: Caller) -> bool:
    return bool(book.get("/borrowers/b").body["individual"]["surname"] == "KAMAU")


def _lists(path: str) -> Callable[[Caller], bool]:
    return lambda book: bool(book.get(f"/{path}").body[path])


def _any(_book: Caller) -> bool:
    return True


REGISTER = Act("borrowers.create", ("POST", "/borrowers"), _register, _has("/borrowers/n-1"))
CHANGE = Act("borrowers.patch", ("PATCH", "/borrowers/b"), _change, _kamau)
DELETE = Act(
    "borrowers.delete", ("DELETE", "/borrowers/gone"), _delete_borrower, _lacks("/borrowers/gone")
)
MAKE_LOAN = Act("loans.create", ("POST", "/loans"), _make_loan, _has("/loans/l-2"))
DELETE_LOAN = Act("loans.delete", ("DELETE", "/loans/later"), _delete_loan, _lacks("/loans/later"))
REPORT = Act("events.create", ("POST", "/events"), _report, _lists("events"))
ASK = Act("borrowers.getOffers", ("POST", "/borrowers/b:getOffers"), _ask, _any)
ASSESS = Act("assessments.create", ("POST", "/assessments"), _assess, _lists("assessments"))

WITH_KEY = (REGISTER, CHANGE, DELETE, MAKE_LOAN, DELETE_LOAN, REPORT)
ALL = (*WITH_KEY, ASK, ASSESS)


def text_of(page: Any) -> str:
    """What a page says."""
    return str(page.content.decode())


def pass_time(**time: float) -> None:
    """Let that much time pass, as the writes see it."""
    gone = timedelta(**time)
    Write.objects.update(created_at=F("created_at") - gone)
    Write.objects.exclude(next_check_at=None).update(next_check_at=F("next_check_at") - gone)
    Check.objects.update(taken_at=F("taken_at") - gone)


def dies(act: Callable[[], object], monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Do something in a child process that ends at once where it reaches this function."""
    connections.close_all()
    child = os.fork()
    if child == 0:
        with monkeypatch.context() as patched:
            patched.setattr(services, at, lambda *_: os._exit(7))
            try:
                act()
            finally:
                os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def lost(
    act: Act, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer, how: Any = None
) -> Write:
    """A write of which nobody knows; by default the service never got it."""
    url, form = act.prepare(desk, app, book)
    proxy.once(act.match(book), how or reset())
    desk.post(url, form)
    return Write.objects.get(operation=act.operation)
