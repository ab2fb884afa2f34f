"""A drill: back up, record, restore, and record again, with the processes of a real dashboard."""

import shutil
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.proof.dashboard import Dashboard, Session, database
from tests.proof.desk import fill_in, form_url, open_confirm
from tests.sandbox.calling import Caller
from tests.sandbox_process import running_sandbox

pytestmark = pytest.mark.exhaustive
LOAN = "kept"
_SIGN_IN = """
import django
django.setup()
from lendingadmin.core.staff.models import User
from tests.proof.prepare import sign_in
for person in User.objects.all():
    print(person.username, sign_in(person))
"""


@pytest.fixture
def lender(tmp_path: Path) -> Iterator[Caller]:
    with running_sandbox(tmp_path, client="proof:proof") as sandbox:
        caller = Caller(sandbox, "kenya", client=("proof", "proof"))
        caller.borrower("b")
        caller.loan(LOAN, borrowerId="b")
        yield caller


def read_paid(lender: Caller) -> Decimal:
    return Decimal(lender.get(f"/loans/{LOAN}").body["balances"]["repayment"]["paid"] or 0)


def restore(address: str, copy: Path) -> None:
    """What an operator does with a copy: the file in its place, or pg_restore into an empty one."""
    if address.startswith("sqlite"):
        path = Path(urlsplit(address).path)
        for old in path.parent.glob(f"{path.name}*"):
            old.unlink()
        shutil.copy(copy, path)
        return
    parts = urlsplit(address)
    name, server = parts.path[1:], f"--maintenance-db={parts._replace(path='/postgres').geturl()}"
    for command in (
        ["dropdb", "--force", server, name],
        ["createdb", server, name],
        ["pg_restore", "--exit-on-error", f"--dbname={address}", str(copy)],
    ):
        subprocess.run(command, check=True)


def record(person: Session, external_id: str, **ticks: str) -> bool:
    """Fill in, look, press; whether it led to a receipt."""
    address = fill_in(person, form_url("kenya", LOAN), external_id, "100.00")
    confirm = open_confirm(person, address or "")
    assert confirm is not None
    page = person.post(confirm.url, confirm.fields | ticks)
    return page.receipt is not None


def test_what_a_backup_forgot_is_not_recorded_twice(tmp_path: Path, lender: Caller) -> None:
    with database(tmp_path) as address:
        dashboard = Dashboard(tmp_path, lender.base_url, address, 1, 2)
        try:
            clerk, copy = Session(dashboard, "support1"), tmp_path / "copy"
            before = read_paid(lender)
            assert record(clerk, "KNOWN")
            told = dashboard.manage("backup", str(copy))
            assert copy.stat().st_mode & 0o077 == 0
            assert record(clerk, "FORGOTTEN")
            dashboard.stop()
            restore(address, copy)
            # Somebody starts it without the command: what is entered again is not sent.
            dashboard.url = dashboard.start_host()
            clerk = Session(dashboard, "support1")
            assert not record(clerk, "FORGOTTEN") and not record(clerk, "NEW")
            assert "data-suspected" in clerk.get("/apps/kenya/repayments/unknown/").text
            assert "manage.py restored" in clerk.get("/readyz").text
            assert read_paid(lender) - before == 200
            dashboard.stop()
            # As the copy said it.
            since = told.split("--since ")[1].strip()
            told = dashboard.manage("restored", "--since", since)
            assert "rp-200001" in told
            dashboard.url = dashboard.start_host()
            assert Session(dashboard, "support1").get("/apps/kenya/").status == 302
            lines = dashboard.run_python(_SIGN_IN).splitlines()
            dashboard.sessions.update(tuple(line.split()) for line in lines)  # type: ignore[arg-type]
            clerk, boss = Session(dashboard, "support1"), Session(dashboard, "manager0")
            # The same payment again, as somebody enters it who finds nothing in the journal.
            address_of = fill_in(clerk, form_url("kenya", LOAN), "FORGOTTEN", "100.00")
            page = clerk.get(address_of or "").text
            assert "KES 100.00" in page.partition('data-finding="risen"')[2].partition("</p>")[0]
            assert not record(clerk, "FORGOTTEN")
            assert read_paid(lender) - before == 200
            # What is not there yet is recorded with the tick, under a number that nothing bore.
            assert record(clerk, "NEW", not_there="yes")
            assert read_paid(lender) - before == 300
            assert "rp-200001" in clerk.get("/apps/kenya/repayments/").text
            page = boss.get("/apps/kenya/repayments/unknown/").text
            assert "/apps/kenya/repayments/restored/" in page
            ended = boss.post("/apps/kenya/repayments/restored/", {"gone_through": "yes"})
            assert ended.location.endswith("/repayments/unknown/")
            assert record(clerk, "LATER")
            assert read_paid(lender) - before == 400
        finally:
            dashboard.stop()
