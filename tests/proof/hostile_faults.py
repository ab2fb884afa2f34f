"""What the hostile service can do with one makeRepayment, by the name of the fault.

A commit is written to the log, and flushed, before anything of it is answered. Standard library
only; nothing here knows the dashboard.
"""

import contextlib
import json
import socket
import struct
import time
from decimal import Decimal
from typing import Any

WORDS = {"error_description": "the hostile service says no"}


class Money(str):
    """A number to its last digit, which json.dumps would take through a float."""


def _dumps(value: Any) -> bytes:
    if isinstance(value, Money):
        return value.encode()
    if isinstance(value, dict):
        pairs = (json.dumps(name).encode() + b":" + _dumps(one) for name, one in value.items())
        return b"{" + b",".join(pairs) + b"}"
    return json.dumps(value).encode()


def wire_answer(status: int, body: Any, headers: dict[str, str]) -> bytes:
    content = _dumps(body)
    lines = [f"HTTP/1.1 {status} X", "Content-Type: application/json"]
    lines += [f"Content-Length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content


def wire_reset(sock: socket.socket) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Call:
    """One makeRepayment: what was asked, and the socket of who asked it."""

    def __init__(self, house: Any, number: int, sock: socket.socket, loan: str, body: Any):
        self.house, self.number, self.sock, self.loan = house, number, sock, loan
        self.external_id, self.amount = str(body["externalId"]), Decimal(str(body["amount"]))
        self.fault = ""

    def log(self, kind: str) -> None:
        self.house.log(kind, self.number, self.loan, self.external_id, self.amount, self.fault)

    def commit(self) -> None:
        with self.house.lock:
            self.house.paid[self.loan] += self.amount
            self.log("committed")

    def commit_late(self) -> None:
        with self.house.lock:
            self.house.late.append((time.monotonic() + self.house.late_after, self))

    def answer(self, status: int, body: Any, kind: str, **headers: str) -> None:
        self.log(kind)
        self.sock.sendall(wire_answer(status, body, headers))

    def acknowledge(self) -> None:
        self.answer(200, self.house.loan(self.loan), "acknowledged", X_Request_Id=f"h{self.number}")

    def close(self) -> None:
        self.log("broken")

    def hang(self) -> None:
        self.log("broken")
        self.sock.settimeout(self.house.hang)
        with contextlib.suppress(OSError):
            self.sock.recv(1)  # until the caller gives up, or the time is over

    def reset(self) -> None:
        self.log("broken")
        wire_reset(self.sock)

    def drip(self) -> None:
        self.log("broken")
        until = time.monotonic() + self.house.hang
        self.sock.sendall(b"HTTP/1.1 200 OK\r\nX-Drip: ")
        while time.monotonic() < until:
            self.sock.sendall(b".")
            time.sleep(0.1)

    def cut(self) -> None:
        self.log("broken")
        whole = wire_answer(200, self.house.loan(self.loan), {})
        self.sock.sendall(whole[: len(whole) - 20])


def _two(first: str, second: str, *arguments: Any, **more: Any) -> Any:
    def act(call: Call) -> None:
        getattr(call, first)()
        getattr(call, second)(*arguments, **more)

    return act


def _only(act: str, *arguments: Any, **more: Any) -> Any:
    return lambda call: getattr(call, act)(*arguments, **more)


def _another(call: Call) -> None:
    call.answer(200, call.house.loan(call.loan) | {"accountId": "L-other"}, "broken")


def _another_committed(call: Call) -> None:
    call.commit()
    _another(call)


def _words(call: Call) -> None:
    call.answer(200, call.house.loan(call.loan) | WORDS, "broken")


def _words_committed(call: Call) -> None:
    call.commit()
    _words(call)


def _interim(call: Call) -> None:
    call.commit()
    call.sock.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
    call.acknowledge()


FAULTS: dict[str, Any] = {
    "honest": _two("commit", "acknowledge"),
    "refuse": _only("answer", 400, WORDS, "refused"),
    "lose_request": _only("close"),
    "lose_request_hanging": _only("hang"),
    "lose_answer": _two("commit", "close"),
    "lose_answer_hanging": _two("commit", "hang"),
    "commit_late": _two("commit_late", "close"),
    "commit_late_hanging": _two("commit_late", "hang"),
    "fail_after_commit": _two("commit", "answer", 500, WORDS, "broken"),
    "fail_before_commit": _only("answer", 503, WORDS, "broken"),
    "ok_without_commit": _only("acknowledge"),
    "another_loan": _another,
    "another_loan_committed": _another_committed,
    "words_of_an_error": _words,
    "words_of_an_error_committed": _words_committed,
    "interim_answer": _interim,
    "conflict": _only("answer", 409, WORDS, "refused"),
    "conflict_committed": _two("commit", "answer", 409, WORDS, "refused"),
    "redirect": _only("answer", 307, {}, "broken", Location="?followed=1"),
    "drip": _only("drip"),
    "drip_committed": _two("commit", "drip"),
    "reset_before_commit": _only("reset"),
    "reset_after_commit": _two("commit", "reset"),
    "cut_after_commit": _two("commit", "cut"),
}
