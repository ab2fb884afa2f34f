"""A house in which every page can be seen in every state: filled, staged, behind a proxy."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.browser.house import House, running_weakly
from tests.faults.behaviours import hang, html, refusal, reply, reset
from tests.faults.server import Behaviour, FaultServer, Wire

# Known to the proxy alone: a borrower whose offers, and an assessment whose result, never come.
RUNS = "B-RUNS"
RUNS_ASSESSMENT = "A-RUNS"

SETTINGS = {
    # An app that nobody has filled: its pages are the empty ones.
    "LENDING_APPS": "kenya:KES:Africa/Nairobi,ghana:GHS:Africa/Accra,uganda:UGX:Africa/Kampala",
}


@dataclass(frozen=True)
class Stage:
    """The house; what addresses of the map call the staged records; sessions by person."""

    house: House
    names: dict[str, Any]

    def cookies(self, person: str) -> list[Any]:
        """What makes a browser session that person's."""
        value = self.names["sessions"][person]
        return [{"name": "sessionid", "value": value, "url": self.house.address}]


@contextmanager
def staged(folder: Path | None = None) -> Iterator[Stage]:
    """Run it, with everything that it keeps under `folder`."""
    with ExitStack() as stack:
        kept = folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        house, proxy = stack.enter_context(running_weakly(kept, SETTINGS, 1))
        answer = subprocess.run(
            [sys.executable, "-m", "tests.browser.staging"],
            env=dict(house.environ),
            stdout=subprocess.PIPE,
            check=True,
        )
        _spoil(proxy)
        yield Stage(house, json.loads(answer.stdout))


def _spoil(proxy: FaultServer) -> None:
    """From now on some records answer wrongly, late, or not at all."""
    proxy.on("/loans/L-GONE", reset())
    proxy.on("/loans/L-SLOW", hang())
    proxy.on("/loans/L-GATEWAY", html(502))
    proxy.on("/loans/L-SCOPE", refusal(403, "The token lacks the scope."))
    proxy.on("/loans/L-BUSY", refusal(429, "Too many requests", {"Retry-After": "30"}))
    proxy.on(f"/borrowers/{RUNS}", _running(f"borrower:{RUNS}"))
    proxy.on(f"/assessments/{RUNS_ASSESSMENT}", _assessment())


def _running(account: str) -> Behaviour:
    def behave(wire: Wire) -> bool:
        if "getOffers" not in wire.request.path:
            return reply({"borrowerId": RUNS, "category": "individual"})(wire)
        asked = wire.request.json().get("requestId", "")
        metadata = {"accountId": account, "appId": "kenya", "requestId": asked}
        return reply({"name": "operations/o-1", "done": False, "metadata": metadata})(wire)

    return behave


def _assessment() -> Behaviour:
    """One that is under way; `…-OLD` since a long time."""

    def behave(wire: Wire) -> bool:
        old = "-OLD" in wire.request.path
        started = datetime(2026, 1, 5, tzinfo=UTC) if old else datetime.now(UTC)
        moment = started.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        body = {
            "assessmentId": wire.request.path.rpartition("/")[2],
            "accountId": f"borrower:{RUNS}",
            "assessmentType": "assessmentTypes/credit-90-days",
            "timestamp": moment,
            "createdAt": moment,
        }
        return reply(body)(wire)

    return behave
