"""What a clerk and the worker do with a statement, up to its recorded payments."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from lendingadmin.desk.statements import checking, recording
from lendingadmin.desk.statements.models import Batch, StatementFile
from tests.statements import making

BASE = "/apps/kenya/statements/"


def pay(*references: str, **fields: Any) -> bytes:
    """A statement of 100.00, 101.00 and so on, for these references."""
    head = "TransID TransTime TransAmount BusinessShortCode BillRefNumber MSISDN FirstName"
    table = [head.split()]
    phones, names = fields.get("phones", {}), fields.get("names", {})
    for at, reference in enumerate(references):
        table.append(
            [
                f"SJAA{at:06}",
                f"202610{at % 28 + 1:02}060007",
                f"{100 + at}.00",
                "123456",
                reference,
                phones.get(at, ""),
                names.get(at, ""),
            ]
        )
    return making.pack_csv(table)


def bring_in(clerk: Client, content: bytes) -> StatementFile:
    answer = clerk.post(f"{BASE}new", {"file": SimpleUploadedFile("x", content)})
    assert answer.status_code == 302, answer.content.decode()
    return StatementFile.objects.latest("pk")


def check(clerk: Client, content: bytes) -> Batch:
    """Bring it in and have it checked, as the worker does."""
    file = bring_in(clerk, content)
    assert clerk.post(f"{BASE}{file.pk}/batch/begin").status_code == 302
    return check_now(Batch.objects.get(file=file))


def check_now(batch: Batch) -> Batch:
    while checking.run_slice(batch.pk) is not None:
        pass
    batch.refresh_from_db()
    return batch


def record(clerk: Client, batch: Batch) -> Batch:
    """Review and record it, as the worker does."""
    submit(clerk, batch)
    return record_now(batch)


def submit(clerk: Client, batch: Batch) -> Any:
    address = f"{BASE}{batch.file_id}/batch/record"
    return clerk.post(address, {"shown": find_shown(clerk, address)})


def approve(boss: Client, batch: Batch) -> Any:
    """Approve it as its page shows it."""
    address = f"{batch.get_absolute_url()}approve"
    return boss.post(address, {"shown": find_shown(boss, address)})


def find_shown(boss: Client, address: str) -> str:
    """What the page of a review says of the rows that it shows."""
    page = boss.get(address).content.decode()
    return page.partition('name="shown" value="')[2].partition('"')[0]


def record_now(batch: Batch) -> Batch:
    while recording.run_slice(batch.pk) is not None:
        pass
    batch.refresh_from_db()
    return batch


def list_rows(batch: Batch) -> list[tuple[str, str, str, str]]:
    rows = batch.allocations.order_by("position", "part")
    return list(rows.values_list("account_id", "basis", "finding", "decision"))


def decide(clerk: Client, batch: Batch, position: int, part: int = 1, **data: str) -> Any:
    return clerk.post(f"{BASE}{batch.file_id}/batch/rows/{position}/{part}", data)
