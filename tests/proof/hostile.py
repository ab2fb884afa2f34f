"""A lending service that breaks its word, as tests meet it: a process of its own.

    with Hostile(folder, loans=50) as hostile:
        hostile.plan("lose_answer", "conflict")     # for the next two makeRepayment calls
        hostile.plan_share(0.2, seed=7)             # that part of all calls, at random
        hostile.pay("L-1", "250.00")                # the second system
        hostile.events()                            # its own log, the truth of every proof

The names of the faults are in `hostile_faults.FAULTS`. Nothing here or there knows the dashboard.
"""

import http.client
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from tests.proof.hostile_faults import FAULTS
from tests.proof.hostile_process import LOG, loan_id

ROOT = Path(__file__).resolve().parents[2]

__all__ = ["FAULTS", "Event", "Hostile", "loan_id"]


class Event(NamedTuple):
    """One line of the service's log.

    kind    `arrived` (a makeRepayment was read), `committed` (it moved money), `acknowledged` (a
            whole 2xx of the right loan was written), `refused` (a 4xx), `broken` (anything else)
    by      `dashboard`, or `other` for the second system
    call    one number for all lines of one call; 0 for the second system
    """

    at: float
    kind: str
    call: int
    loan: str
    external_id: str
    amount: Decimal
    by: str
    fault: str


class Hostile:
    """The running service. `hang` is how long (s) it leaves a caller hanging, `late` how long a
    late commit takes; both can be changed by `settle_times`."""

    def __init__(
        self, folder: Path, loans: int = 50, seed: int = 0, hang: float = 15, late: float = 60
    ) -> None:
        self.log = Path(folder) / LOG
        self._arguments = [str(folder), str(loans), str(seed), str(hang), str(late)]
        self._process: subprocess.Popen[str] | None = None
        self.url = ""
        self.loans = [loan_id(number) for number in range(1, loans + 1)]

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.proof.hostile_process", *self._arguments]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http://"), "the hostile service did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        assert self._process is not None and self._process.stdout is not None
        self._process.terminate()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def plan(self, *faults: str) -> None:
        """Faults of the next makeRepayment calls, one each, in this order."""
        self._tell("plan", faults=faults)

    def plan_loans(self, faults: dict[str, str]) -> None:
        """Every makeRepayment of such a loan meets this fault, until `honest`."""
        self._tell("loans", faults=faults)

    def plan_share(self, share: float, seed: int = 0, among: tuple[str, ...] = ()) -> None:
        """Break this part of all calls at random: writes by these faults (all), reads by some."""
        self._tell("share", share=share, seed=seed, among=among)

    def honest(self) -> None:
        """Keep its word from now on: drops every plan, and commits what is late at once."""
        self._tell("honest")

    def settle_times(self, *, hang: float, late: float) -> None:
        """Change how long (s) callers are left hanging, and how late a late commit is."""
        self._tell("times", hang=hang, late=late)

    def commit_late_now(self) -> None:
        """What waits to be committed late is committed now."""
        self._tell("late_now")

    def pay(self, loan: str, amount: Decimal | str) -> None:
        """The second system posts a payment to the loan."""
        self._tell("pay", loan=loan, amount=str(amount))

    def pay_at_random(self, every: float) -> None:
        """The second system posts about so often (s), mostly where the dashboard just wrote, and
        now and then exactly what the dashboard did; 0 stops it."""
        self._tell("pay_at_random", every=every)

    def balances(self) -> dict[str, Decimal]:
        """What stands as paid on each loan."""
        return {loan: Decimal(paid) for loan, paid in self._tell("balances").items()}

    def events(self, since: int = 0) -> list[Event]:
        """All lines of the log from line `since` on, read from the file."""
        with self.log.open() as lines:
            return [_event(json.loads(line)) for n, line in enumerate(lines) if n >= since]

    def _tell(self, what: str, **fields: Any) -> Any:
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=10)
        try:
            connection.request("POST", f"/control/{what}", json.dumps(fields))
            answer = connection.getresponse()
            body = json.loads(answer.read())
            assert answer.status == 200, body
            return body
        finally:
            connection.close()


def _event(line: dict[str, Any]) -> Event:
    return Event(**line | {"amount": Decimal(line["amount"])})
