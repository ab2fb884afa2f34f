"""Forked workers: each has its own connections, locks, places and threads."""

import os
import threading
import time
import traceback
from collections.abc import Callable

from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.parallel import read_in_parallel
from tests.faults import behaviours as do
from tests.faults.server import FaultServer, Wire
from tests.lending.rig import LOAN, any_loan, client_to, transport_to

READ = OPERATIONS["loans.get"]


def child_succeeds(work: Callable[[], None]) -> bool:
    """Run `work` in a forked child."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def echo(wire: Wire) -> bool:
    """Give back the path, so that an answer tells whose it is."""
    return do.reply({"path": wire.request.path})(wire)


def test_workers_never_see_each_others_answers(fault_server: FaultServer) -> None:
    fault_server.on("/", echo)
    transport = transport_to(fault_server.url, read_timeout=10, deadline=20)
    transport.call(READ, "/before")  # the parent's connection is open when it forks

    def ask(name: str) -> None:
        for number in range(60):
            path = f"/{name}/{number}"
            answer = transport.call(READ, path)
            assert answer.json == {"path": path}, (answer.json, path)

    children = []
    for name in ("one", "two"):
        child = os.fork()
        if child == 0:
            try:
                ask(name)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        children.append(child)
    ask("parent")
    for child in children:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert fault_server.connections() == 3


def test_places_taken_in_the_parent_are_free_in_the_child(fault_server: FaultServer) -> None:
    fault_server.on("/hang", do.hang())
    fault_server.on("/quick", do.reply(LOAN))
    transport = transport_to(fault_server.url, size=1, read_timeout=3, deadline=3)
    thread = threading.Thread(target=lambda: _quietly(lambda: transport.call(READ, "/hang")))
    thread.start()
    while not fault_server.hits("/hang"):
        time.sleep(0.01)
    assert child_succeeds(lambda: None if transport.call(READ, "/quick").status == 200 else 1 / 0)
    fault_server.stop()
    thread.join()


def test_parallel_reads_work_in_a_child(fault_server: FaultServer) -> None:
    fault_server.on("/", any_loan)
    client = client_to(fault_server.url)
    loans = client.app("kenya").loans
    read_in_parallel(client, lambda: loans.get("L1"), lambda: loans.get("L2"))

    def again() -> None:
        results = read_in_parallel(client, lambda: loans.get("L1"), lambda: loans.get("L2"))
        assert [loan.account_id for loan in results] == ["L1", "L2"]

    assert child_succeeds(again)


def _quietly(work: Callable[[], object]) -> None:
    from contextlib import suppress

    with suppress(Exception):
        work()
