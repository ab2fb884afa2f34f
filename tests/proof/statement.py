"""A statement recorded against the sandbox with the web and the worker killed on the way."""

import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.proof.dashboard import Dashboard, Session, database
from tests.proof.desk import Page
from tests.proof.running import Process
from tests.sandbox.calling import Caller
from tests.sandbox_process import SandboxProcess, running_sandbox

BASE = "/apps/kenya/statements/"
_PATIENCE = 600.0


@dataclass
class Desk:
    """A clerk at a dashboard, its worker, and the service behind."""

    dashboard: Dashboard
    clerk: Session
    caller: Caller
    folder: Path
    kills: int = 0

    def __post_init__(self) -> None:
        command = [sys.executable, "manage.py", "db_worker", "--interval", "0.2"]
        self._worker = Process("worker", command, self.dashboard.environ, self.folder)
        self._worker.start()

    def kill(self) -> None:
        """End the worker and one of the web at once; both come back."""
        self._worker.kill()
        with suppress(IndexError):
            self.dashboard.kill_a_worker()
        self._worker.start()
        self.kills += 1

    def stop(self) -> None:
        self._worker.kill()

    def get(self, path: str) -> Page:
        """A page, asked for again where the web was killed."""
        return self._ask(lambda: self.clerk.get(path))

    def post(self, path: str, **fields: str) -> Page:
        return self._ask(lambda: self.clerk.post(path, fields))

    def _ask(self, ask: Callable[[], Page]) -> Page:
        for _ in range(50):
            page = ask()
            if page.status:
                return page
            time.sleep(0.2)
        raise AssertionError("the dashboard does not answer")

    def wait(self, batch: str, *states: str) -> str:
        """Until the batch's page bears one of these states; its text."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            text = self.get(batch).text
            if any(f'data-state="{state}"' in text for state in states):
                return text
            time.sleep(1)
        raise AssertionError(f"{batch} is not {states}: see {self.folder}/worker.log")


def run(folder: Path, rows: int, kills: int) -> dict[str, Any]:
    """Record so many payments; gives back the sums of the service and the file, and the rates."""
    with (
        running_sandbox(
            folder, "--seed-loans", "200", "--seed-app", "kenya", client="proof:proof"
        ) as sandbox,
        database(folder) as address,
    ):
        caller = Caller(sandbox, "kenya", client=("proof", "proof"))
        dashboard = Dashboard(folder, sandbox.base_url, address, 1, 2)
        desk = Desk(dashboard, Session(dashboard, "support1"), caller, folder)
        try:
            return _play(desk, sandbox, rows, kills)
        finally:
            desk.stop()
            dashboard.stop()


def _play(desk: Desk, sandbox: SandboxProcess, rows: int, kills: int) -> dict[str, Any]:
    loans = _list_loans(desk.caller)
    chosen = [
        loan_id for loan_id, (is_open, unpaid, _) in loans.items() if is_open and unpaid > 900
    ]
    bare = _run_bare(desk.caller, chosen, min(rows, 300))
    before = _sum_paid(desk.caller)
    content, total = _write(chosen, rows)
    batch = _bring_in(desk, content)
    desk.wait(batch, "ready")
    began = time.monotonic()
    _submit(desk, batch)
    for part in range(1, kills + 1):
        _wait_for(desk, batch, rows * part // (kills + 1))
        desk.kill()
    desk.wait(batch, "done", "paused")
    seconds = time.monotonic() - began
    rounds = _finish(desk, batch, rows)
    result = {"rows": rows, "file": total, "service": _sum_paid(desk.caller) - before}
    # The service works longer on a loan with many payments: the loop has both ends of that.
    bare = (bare + _run_bare(desk.caller, chosen, min(rows, 300))) / 2
    again = _bring_in(desk, content + "\n")
    page = desk.wait(again, "ready")
    result |= {"again": "/batch/record" in page, "kills": desk.kills, "rounds": rounds}
    return result | {"bare": round(bare, 1), "rate": round(rows / seconds, 1)}


def _list_loans(caller: Caller) -> dict[str, tuple[bool, Decimal, Decimal]]:
    """Whether each is open, what is unpaid of it, and what is paid."""
    found: dict[str, tuple[bool, Decimal, Decimal]] = {}
    token: dict[str, str] = {}
    while True:
        body = caller.get("/loans", pageSize="100", **token).body
        for loan in body["loans"]:
            own = (loan.get("balances") or {}).get("repayment") or {}
            unpaid, paid = (Decimal(own.get(name) or 0) for name in ("unpaid", "paid"))
            found[loan["accountId"]] = (loan["status"] == 2, unpaid, paid)
        token = {"pageToken": body["nextPageToken"]} if body.get("nextPageToken") else {}
        if not token:
            return found


def _sum_paid(caller: Caller) -> Decimal:
    return sum((paid for _, _, paid in _list_loans(caller).values()), Decimal(0))


def _run_bare(caller: Caller, loans: list[str], count: int) -> float:
    """How many a second a loop of the same three calls records."""
    began, mark = time.monotonic(), uuid4().hex[:8]
    for at in range(count):
        path = f"/loans/{loans[at % len(loans)]}"
        body = {
            "externalId": f"{mark}{at}",
            "amount": "0.01",
            "transactionDate": "2026-10-01T10:00:00Z",
            "valueDate": "2026-10-01T10:00:00Z",
        }
        answers = [
            caller.call("GET", path),
            caller.call("POST", f"{path}:makeRepayment", {**body, "amount": Decimal("0.01")}),
            caller.call("GET", path),
        ]
        assert [answer.status for answer in answers] == [200] * 3, answers[1].text
    return count / (time.monotonic() - began)


def _write(loans: list[str], rows: int) -> tuple[str, Decimal]:
    """A statement of small payments, and what they come to."""
    head = "TransID,TransTime,TransAmount,BusinessShortCode,BillRefNumber"
    amounts = [Decimal(at % 97 + 1) / 100 for at in range(rows)]
    lines = [
        f"SJ{at:08},202610{at % 28 + 1:02}{at % 24:02}{at % 60:02}07,{amount},123456,"
        f"{loans[at % len(loans)]}"
        for at, amount in enumerate(amounts)
    ]
    return "\n".join([head, *lines]), sum(amounts, Decimal(0))


def _bring_in(desk: Desk, content: str) -> str:
    """Bring it in and have it checked; the address of its batch."""
    desk.get(f"{BASE}new")
    answer = desk.post(f"{BASE}new", text=content)
    assert answer.status == 302, answer.text[:2000]
    desk.post(f"{answer.location}batch/begin")
    return f"{answer.location}batch/"


def _submit(desk: Desk, batch: str) -> None:
    found = re.search(r'name="shown" value="([^"]+)"', desk.get(f"{batch}record").text)
    assert found
    desk.post(f"{batch}record", shown=found[1])


def _wait_for(desk: Desk, batch: str, rows: int) -> None:
    until = time.monotonic() + _PATIENCE
    while _count_entered(desk, batch) < rows:
        assert time.monotonic() < until, "the recording does not go on"
        time.sleep(0.2)


def _count_entered(desk: Desk, batch: str) -> int:
    found = re.search(r'<progress id="so-far" value="(\d+)"', desk.get(f"{batch}progress").text)
    return int(found[1]) if found else 0


def _finish(desk: Desk, batch: str, rows: int) -> int:
    """What a clerk does with what was cut off: wait for the evidence, check again, record the rest.

    Gives back how often that was needed.
    """
    for turn in range(30):
        time.sleep(5)
        text = desk.get(batch).text
        landed = re.search(r'data-recorded="(\d+)"', text)
        if landed and int(landed[1]) == rows:
            return turn
        if 'data-state="paused"' in text:
            desk.post(f"{batch}resume")
            desk.wait(batch, "done", "paused")
        desk.post(f"{batch}reopen")
        desk.post(f"{batch}begin")
        desk.wait(batch, "ready")
        reason = "the worker was ended, and the loan does not show it"
        desk.post(f"{batch}accept", finding="may-double", reason=reason)
        if "/batch/record" in desk.get(batch).text:
            _submit(desk, batch)
        desk.wait(batch, "ready", "done", "paused")
    raise AssertionError(f"not all is recorded: {text[:3000]}")
