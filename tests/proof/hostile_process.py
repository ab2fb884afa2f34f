"""The hostile service itself. Standard library only; run by `hostile.Hostile` as a process.

Each makeRepayment meets one fault of `hostile_faults`; the balances are what was committed. It is
careless on purpose: it takes an externalId as often as it comes.
"""

import json
import random
import re
import socket
import sys
import threading
import time
from collections import deque
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.proof.hostile_faults import FAULTS, WORDS, Call, Money, wire_answer, wire_reset

LOG = "hostile.jsonl"
OWED = Decimal("100000000.00")
_PATH = re.compile(r"^/v1/projects/[^/]+/apps/([^/]+)/loans(?:/([^/:?]+))?([:/]makeRepayment)?")


def loan_id(number: int) -> str:
    return f"L-{number}"


class House:
    """The service's memory: balances, plans, and the log."""

    def __init__(self, folder: Path, loans: int, seed: int, hang: float, late: float) -> None:
        self.lock = threading.RLock()
        self.file = (folder / LOG).open("a")
        self.paid = {loan_id(number): Decimal("1000.00") for number in range(1, loans + 1)}
        self.late: list[tuple[float, Call]] = []
        self.hang, self.late_after, self.every = hang, late, 0.0
        self.planned: deque[str] = deque()
        self.of_loan: dict[str, str] = {}
        self.share, self.among = 0.0, list(FAULTS)[1:]
        # However many reads there are between them, as many writes meet a fault.
        self.random, self.of_reads = random.Random(seed), random.Random(seed)
        self.calls = 0
        self.recent: deque[tuple[str, Decimal]] = deque(maxlen=8)
        for work in (self._commit_what_is_late, self._pay_at_random):
            threading.Thread(target=work, daemon=True).start()

    def log(
        self, kind: str, call: int, loan: str, external_id: str, amount: Any, fault: str
    ) -> None:
        by = "dashboard" if call else "other"
        line = {"at": time.time(), "kind": kind, "call": call, "loan": loan, "by": by}
        line |= {"external_id": external_id, "amount": str(amount), "fault": fault}
        with self.lock:
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()

    def loan(self, loan: str) -> dict[str, Any]:
        with self.lock:
            paid = self.paid[loan]
        column = {"due": 0, "paid": Money(paid), "total": Money(OWED), "overdue": 0}
        column["unpaid"] = Money(OWED - paid)
        balances = {"repayment": column, "principal": column}
        return {"accountId": loan, "borrowerId": f"B-{loan}", "status": 2, "balances": balances}

    def arrived(self, sock: socket.socket, loan: str, body: Any) -> Call:
        with self.lock:
            self.calls += 1
            call = Call(self, self.calls, sock, loan, body)
            call.fault = self.of_loan.get(loan) or self._drawn()
            self.recent.append((loan, call.amount))
            call.log("arrived")
        return call

    def _drawn(self) -> str:
        if self.planned:
            return self.planned.popleft()
        return self.random.choice(self.among) if self.random.random() < self.share else "honest"

    def read_is_broken(self) -> str:
        """Which fault a read meets, if any: reads have their part of the share too."""
        with self.lock:
            broken = self.of_reads.random() < self.share
            return self.of_reads.choice(("fail", "reset", "another", "close")) if broken else ""

    def pay(self, loan: str, amount: Decimal) -> None:
        with self.lock:
            self.paid[loan] += amount
            self.log("committed", 0, loan, f"OTHER-{time.time_ns()}", amount, "")

    def _commit_what_is_late(self) -> None:
        while True:
            time.sleep(0.05)
            self.commit_late(time.monotonic())

    def commit_late(self, until: float) -> None:
        with self.lock:
            for one in [one for one in self.late if one[0] <= until]:
                self.late.remove(one)
                one[1].commit()

    def _pay_at_random(self) -> None:
        own = random.Random(1)
        while True:
            time.sleep(own.random() * 2 * self.every or 0.1)
            if self.every:
                with self.lock:
                    loan = own.choice(list(self.paid))
                    same = own.choice(list(self.recent) or [(loan, Decimal("75.00"))])
                amount = same[1] if own.random() < 0.3 else Decimal(own.randrange(100, 90000)) / 100
                self.pay(same[0] if own.random() < 0.7 else loan, amount)

    def control(self, what: str, fields: dict[str, Any]) -> Any:
        with self.lock:
            if what == "plan":
                self.planned.extend(fields["faults"])
            elif what == "loans":
                self.of_loan |= fields["faults"]
            elif what == "share":
                self.share, self.random = fields["share"], random.Random(fields["seed"])
                self.among = fields["among"] or list(FAULTS)[1:]
            elif what == "honest":
                self.share, self.every = 0.0, 0.0
                self.planned.clear()
                self.of_loan.clear()
                self.commit_late(float("inf"))
            elif what == "times":
                self.hang, self.late_after = fields["hang"], fields["late"]
            elif what == "late_now":
                self.commit_late(float("inf"))
            elif what == "pay":
                self.pay(fields["loan"], Decimal(fields["amount"]))
            elif what == "pay_at_random":
                self.every = fields["every"]
            elif what == "balances":
                return {loan: str(paid) for loan, paid in self.paid.items()}
        return {}


def _serve(house: House, sock: socket.socket) -> None:
    reader = sock.makefile("rb")
    try:
        while line := reader.readline():
            method, path, _ = line.decode("latin-1").split(" ", 2)
            length = 0
            while (header := reader.readline()) not in (b"\r\n", b""):
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if not _one(house, sock, method, path, reader.read(length)):
                return
    except (OSError, ValueError):
        pass
    finally:
        reader.close()
        sock.close()


def _one(house: House, sock: socket.socket, method: str, path: str, content: bytes) -> bool:
    """Answer one request; whether the connection may be used again."""
    if path.startswith("/control/"):
        sock.sendall(wire_answer(200, house.control(path[9:], json.loads(content)), {}))
        return True
    if path.endswith("/oauth2/token"):
        sock.sendall(wire_answer(200, {"access_token": "t", "expires_in": 3600}, {}))
        return True
    found = _PATH.match(path)
    if not found or (found[2] and found[2] not in house.paid):
        sock.sendall(wire_answer(404, {"error_description": "not here"}, {}))
        return True
    if found[3]:
        call = house.arrived(sock, found[2], json.loads(content, parse_float=Decimal))
        FAULTS[call.fault](call)
        return False
    return _read(house, sock, found[2])


def _read(house: House, sock: socket.socket, loan: str | None) -> bool:
    broken = house.read_is_broken()
    if broken == "reset":
        wire_reset(sock)
    if broken in ("reset", "close"):
        return False
    if broken == "fail":
        sock.sendall(wire_answer(500, WORDS, {}))
    elif loan is None:
        sock.sendall(wire_answer(200, {"loans": [], "nextPageToken": ""}, {}))
    else:
        shown = house.loan(loan) | ({"accountId": "L-other"} if broken == "another" else {})
        sock.sendall(wire_answer(200, shown, {}))
    return True


def main(folder: str, loans: str, seed: str, hang: str, late: str) -> None:
    house = House(Path(folder), int(loans), int(seed), float(hang), float(late))
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)  # noqa: T201
    while True:
        sock, _ = listening.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_serve, args=(house, sock), daemon=True).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
