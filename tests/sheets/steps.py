"""What people do with a sheet: make it, type it, have it recorded."""

import re
from decimal import Decimal
from typing import Any

from django.test import Client

from lendingadmin.desk.sheets.models import Sheet
from lendingadmin.desk.statements.models import Batch
from tests.portfolio.conftest import read_page, words
from tests.statements.batches.steps import check_now, record

SHEETS = "/apps/kenya/sheets/"
__all__ = ["SHEETS", "give_back", "make", "read_page", "record_sheet", "type_sheet", "words"]


def make(desk: Client, **wanted: str) -> list[Sheet]:
    """Look at what would stand on a sheet, and make it; the sheets, by their number."""
    query = "&".join(f"{name}={value}" for name, value in wanted.items())
    form = read_page(desk, f"{SHEETS}new?{query}")
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    known = set(Sheet.objects.values_list("pk", flat=True))
    answer = desk.post(f"{SHEETS}new", hidden)
    assert answer.status_code == 302, words(answer.content.decode())
    return list(Sheet.objects.exclude(pk__in=known).order_by("part"))


def type_sheet(
    clerk: Client, sheet: Sheet, amounts: dict[int, str], counted: str | None = None, **more: str
) -> Any:
    """Send the grid with these amounts; the cash is their sum unless another is given."""
    form = read_page(clerk, f"{SHEETS}{sheet.code}/return")
    day = re.search(r'name="day" value="([^"]+)"', form)
    data = {f"row-{number}": amount for number, amount in amounts.items()}
    if counted is None:
        figures = (one.replace(",", "") for one in amounts.values() if one)
        counted = str(sum(map(Decimal, figures), Decimal(0)))
    data |= {"counted": counted, "day": day[1] if day else ""}
    return clerk.post(f"{SHEETS}{sheet.code}/return", data | more)


def give_back(clerk: Client, sheet: Sheet, amounts: dict[int, str], **more: str) -> Batch:
    """Type it, and have it checked as the worker does."""
    answer = type_sheet(clerk, sheet, amounts, **more)
    assert answer.status_code == 302, words(answer.content.decode())
    return check_now(Batch.objects.latest("pk"))


def record_sheet(clerk: Client, sheet: Sheet, amounts: dict[int, str], **more: str) -> Batch:
    """Type it, and have it recorded."""
    return record(clerk, give_back(clerk, sheet, amounts, **more))
