"""Several reads at once, on threads that never touch the token store or the ORM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lendingadmin.lending.calls import Call
from lendingadmin.lending.deadline import Deadline
from lendingadmin.lending.errors import LendingError, TokenRefused
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.issuer import AccessToken

if TYPE_CHECKING:
    from lendingadmin.lending.client import LendingClient

    from .transport import Transport

_THREADS = 12

Read = Callable[[], Any]


@dataclass(repr=False)
class ParallelReads:
    """What several parallel reads have in common: one token, one deadline, one place under way.

    With `cuts_off` the deadline is that of each call too; otherwise none begins after it. Their
    `calls` are reported by the thread that started them, because theirs must not touch the ORM.
    """

    token: AccessToken
    deadline: Deadline
    cuts_off: bool
    calls: list[Call] = field(default_factory=list)


class _Pool(ForkSafe):
    """Threads that live as long as the process, started by its first parallel reads."""

    def reset(self) -> None:
        """A forked child has none of its parent's threads."""
        self._executor: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="lending")
        return self._executor.submit(work)


_pool = _Pool()


def read_in_parallel(
    client: LendingClient, *calls: Read, seconds: float | None = None
) -> tuple[Any, ...]:
    """Run these reads at once and give back each one's result, or the LendingError that it raised.

    Each call is a function without arguments that reads through `client`, such as
    `lambda: app.loans.get("L1")`. The token is fetched here, in the caller's thread; when it is
    refused, a new one is fetched here and the refused reads run once more. When there is no token,
    every result is that error. A write inside raises TypeError, which passes through, like every
    error that is no LendingError, once all calls are over. With `seconds`, a read that takes longer
    than that after the token is there is cut off, and its result is TimedOut.
    """
    transport = client.transport
    try:
        with transport.take_slot():
            deadline = Deadline(transport.deadline if seconds is None else seconds)
            reads = ParallelReads(transport.tokens.get_token(), deadline, seconds is not None)
            try:
                return tuple(_run_with_new_token(transport, reads, calls))
            finally:
                for call in reads.calls:
                    transport.report(call)
    except LendingError as error:
        return (error,) * len(calls)


def _run_with_new_token(
    transport: Transport, reads: ParallelReads, calls: Sequence[Read]
) -> list[Any]:
    """Run the reads; those whose token was refused once more, with a new one."""
    results = _run(transport, reads, calls)
    refused = [at for at, one in enumerate(results) if isinstance(one, TokenRefused)]
    if refused and transport.tokens.drop(reads.token.value):
        try:
            reads.token = transport.tokens.get_token()
            again = _run(transport, reads, [calls[at] for at in refused])
        except LendingError as error:
            again = [error] * len(refused)
        for at, result in zip(refused, again, strict=True):
            results[at] = result
    return results


def _run(transport: Transport, reads: ParallelReads, calls: Sequence[Read]) -> list[Any]:
    def read(call: Read) -> Any:
        with transport.join(reads):
            try:
                return call()
            except LendingError as error:
                return error

    futures = [_pool.submit(partial(read, call)) for call in calls]
    # Every result is awaited before any error rises: no read may outlive its place under way.
    failures = [future.exception() for future in futures]
    for failure in failures:
        if failure is not None:
            raise failure
    return [future.result() for future in futures]
