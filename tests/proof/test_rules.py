"""A changed rule holds within two seconds in every process of every host."""

import time
from pathlib import Path

import pytest

from lendingadmin.core.policies.services import RECENT_SECONDS
from tests.proof.dashboard import Dashboard, Session, database
from tests.sandbox_process import running_sandbox

PAGE = "/apps/kenya/settings/late-sheets/"
NAMES = ("Umoja Credit", "Tumaini Credit")
# Two hosts with two web processes each answer one after the other, or as they are free.
TRIES = 20


def read_names(dashboard: Dashboard, hosts: list[str]) -> set[str]:
    """Which of the names the header has, in many answers of all hosts."""
    found = set()
    for number in range(TRIES):
        page = Session(dashboard, "manager0", hosts[number % 2]).get(PAGE)
        assert page.status == 200
        found |= {name for name in NAMES if name in page.text}
    return found


def change(dashboard: Dashboard, host: str, name: str, seen: int) -> None:
    session = Session(dashboard, "manager0", host)
    session.get(PAGE)
    fields = {"name": name, "language": "en", "reason": "new name", "seen": str(seen)}
    assert session.post("/apps/kenya/settings/lender/", fields).status == 302
    time.sleep(RECENT_SECONDS + 0.1)


@pytest.mark.drill
def test_a_rule_holds_in_all_processes(tmp_path: Path) -> None:
    with running_sandbox(tmp_path) as sandbox, database(tmp_path) as address:
        dashboard = Dashboard(tmp_path, sandbox.base_url, address, 1, 2)
        try:
            hosts = [dashboard.url, dashboard.start_host()]
            change(dashboard, hosts[0], NAMES[0], 0)
            assert read_names(dashboard, hosts) == {NAMES[0]}
            change(dashboard, hosts[1], NAMES[1], 1)
            assert read_names(dashboard, hosts) == {NAMES[1]}
        finally:
            dashboard.stop()
