"""The sheet on paper: no phone number, its QR code read back, and what the trail keeps."""

import re

import pytest
import zxingcpp
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from lendingadmin.core.audit.models import Entry
from lendingadmin.desk.sheets.codes import QrCode, build_qr, make_code
from lendingadmin.desk.sheets.models import Sheet
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.sheets.steps import SHEETS, words


def read_qr(code: QrCode) -> str:
    """What a reader that is not ours finds in the path, drawn in squares of four pixels."""
    wide = code.size * 4
    pixels = bytearray(b"\xff" * (wide * wide))
    for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", code.path):
        for row in range(4):
            start = (int(y) * 4 + row) * wide + int(x) * 4
            pixels[start : start + 4] = b"\x00" * 4
    image = memoryview(pixels).cast("B", (wide, wide))
    [found] = zxingcpp.read_barcodes(image)
    return found.text


@settings(max_examples=8)
@given(st.builds(lambda _: make_code(), st.integers()))
def test_the_qr_code_holds_the_code_of_the_sheet(code: str) -> None:
    qr = build_qr(code)
    assert read_qr(qr) == code
    # The smallest there is, with its edge: each square is more than a millimetre on paper.
    assert qr.size == 21 + 8


@pytest.mark.django_db
def test_names_by_right_and_no_phone_number_go_on_paper(
    desk: Client,
    sheet: Sheet,
    put: Put,  # noqa: F811
) -> None:
    put("B-001", surname="KAMAU", othernames="ANN", phoneNumber="+254700000001")
    answer = desk.post(f"{SHEETS}{sheet.code}/print")
    text = answer.content.decode()
    assert "KAMAU" in text and "B-002" in text and "L-001" in text
    assert "0700" not in text.replace(" ", "") and "254700" not in text.replace(" ", "")
    assert "style=" not in text and "<style" not in text
    assert "2 rows" in words(text) and "1,000.00" in text
    assert 'data-finding="reprint"' not in text


@pytest.mark.django_db
def test_the_trail_keeps_that_names_left_the_house_and_a_reprint_says_so(
    desk: Client, boss: Client, sheet: Sheet
) -> None:
    for browser, is_reprint in ((desk, False), (boss, True)):
        text = browser.post(f"{SHEETS}{sheet.code}/print").content.decode()
        assert ('data-finding="reprint"' in text) == is_reprint
    entries = Entry.objects.filter(action="dashboard.sheets.make").order_by("pk")
    assert [one.outcome for one in entries] == [
        "made",
        "opened for printing",
        "opened for reprinting",
    ]
    assert entries[1].detail == "2 names"
    assert desk.get(f"{SHEETS}{sheet.code}/print").status_code == 405
