"""Functions that make calls in parallel, in threads that never use the token store or the ORM."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from lendingadmin.lending.errors import LendingError, TokenRefused
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.tokens import AccessToken
from lendingadmin.lending.transport import Call
from lendingadmin.lending.wire import Deadline

if TYPE_CHECKING:
    from lendingadmin.lending.client import LendingClient

    from .transport import Transport

logger = logging.getLogger(__name__)

_THREADS = 12

Work = Callable[[], Any]


@dataclass(repr=False)
class ParallelCalls:
    """State that parallel calls share: one token, one deadline and one slot for calls.

    `token` is an error if no slot or no token is available; then each call raises this error. With
    `cuts_off`, a call ends at the deadline; otherwise the deadline only prevents new calls. A write
    is sent only with `may_write`. The thread that started the calls reports them (`calls`), because
    the other threads must not use the ORM. Each call is sent with `headers`.
    """

    token: AccessToken | LendingError
    deadline: Deadline
    cuts_off: bool = False
    may_write: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)


class Written(NamedTuple):
    """Result of a write, or the error that the write raised. `call` is None if no call was made."""

    result: Any
    call: Call | None = None


class _Pool(ForkSafe):
    """Threads of the process. The first parallel calls start them."""

    def reset(self) -> None:
        """Start without threads, because a forked child does not have its parent's threads."""
        self._executor: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="lending")
        return self._executor.submit(work)


_pool = _Pool()


def read_in_parallel(
    client: LendingClient, *calls: Work, seconds: float | None = None
) -> tuple[Any, ...]:
    """Run these reads in parallel; return the result of each, or the LendingError that it raised.

    Each call is a function without arguments that reads with `client`, such as `lambda:
    app.loans.get("L1")`. The caller's thread gets the token. If the service refuses the token, this
    thread gets a new token and the refused reads run once more. If there is no token or no free
    slot, nothing is sent, and each result is this error. A write among the calls raises TypeError.
    TypeError, and any other error that is not a LendingError, is raised after all calls have ended.
    With `seconds`, each read is stopped at this time after the token was received, and its result
    is TimedOut.
    """
    transport = client.transport
    with ExitStack() as stack:
        token = _begin(transport, stack)
        deadline = Deadline(transport.deadline if seconds is None else seconds)
        shared = ParallelCalls(
            token, deadline, cuts_off=seconds is not None, headers=transport.build_headers()
        )
        try:
            results = _run(transport, [shared] * len(calls), calls)
            refused = [at for at, one in enumerate(results) if isinstance(one, TokenRefused)]
            if refused and isinstance(token, AccessToken) and transport.tokens.drop(token.value):
                try:
                    shared.token = transport.tokens.get_token()
                except LendingError as error:
                    shared.token = error
                again = _run(transport, [shared] * len(refused), [calls[at] for at in refused])
                for at, result in zip(refused, again, strict=True):
                    results[at] = result
            return tuple(results)
        finally:
            for call in shared.calls:
                transport.report(call)


def write_in_parallel(client: LendingClient, *writes: Work) -> list[Written]:
    """Send writes in parallel, each at most once, and return the result of each write.

    Each write is a function without arguments that makes one call with `client`. An error of any
    kind is the result of its write, because the other writes may have succeeded. If no slot or no
    token is available, nothing is sent, and this error is the result of each write. Raise
    RuntimeError if threads can't be started. Some writes may then have been sent.
    """
    transport = client.transport
    with ExitStack() as stack:
        try:
            token = _begin(transport, stack)
        except Exception as error:
            return [Written(error)] * len(writes)
        deadline = Deadline(transport.deadline)
        headers = transport.build_headers()
        each = [ParallelCalls(token, deadline, may_write=True, headers=headers) for _ in writes]
        results = _run(transport, each, writes)
        calls = [own.calls[-1] if own.calls else None for own in each]
        for call in filter(None, calls):
            transport.report(call)
        was_refused = any(isinstance(result, TokenRefused) for result in results)
        if was_refused and isinstance(token, AccessToken):
            try:
                transport.tokens.drop(token.value)
            except Exception:
                logger.exception("a token that was refused could not be dropped")
    return [Written(*one) for one in zip(results, calls, strict=True)]


def _begin(transport: Transport, stack: ExitStack) -> AccessToken | LendingError:
    """Take a slot for the calls until the stack is closed, and return the token.

    If there is no slot or no token, return the error instead.
    """
    try:
        stack.enter_context(transport.take_slot())
        return transport.tokens.get_token()
    except LendingError as error:
        return error


def _run(
    transport: Transport, belongs_to: Sequence[ParallelCalls], calls: Sequence[Work]
) -> list[Any]:
    """Run each call as a part of its parallel calls, and return the results.

    A LendingError, and any error of a write, is the result of its call. Any other error is raised
    after all calls have ended.
    """

    def run(own: ParallelCalls, call: Work) -> Any:
        with transport.join(own):
            try:
                return call()
            except Exception as error:
                # An error of one write is no error of the other writes.
                if own.may_write or isinstance(error, LendingError):
                    return error
                raise

    works = [partial(run, own, call) for own, call in zip(belongs_to, calls, strict=True)]
    if len(works) == 1 or any(isinstance(own.token, LendingError) for own in belongs_to):
        # At most one call is sent, so it needs no other thread. All other threads may be waiting
        # for a slow service.
        return [work() for work in works]
    futures = [_pool.submit(work) for work in works]
    # All calls must have ended before an error is raised, because the slot is then returned.
    failures = [future.exception() for future in futures]
    for failure in failures:
        if failure is not None:
            raise failure
    return [future.result() for future in futures]
