"""Pages travel compressed; what is streamed goes out row by row."""

import gzip

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "manager"
ASKED = {"headers": {"accept-encoding": "gzip"}}


def test_a_page_is_compressed_for_who_can_read_it(desk: Client) -> None:
    plain = desk.get("/glossary/")
    packed = desk.get("/glossary/", **ASKED)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(packed.content) < len(plain.content) / 2
    assert "<h1>" in gzip.decompress(packed.content).decode()


def test_the_length_of_a_page_differs_each_time(desk: Client) -> None:
    assert len({len(desk.get("/glossary/", **ASKED).content) for _ in range(12)}) > 3


def test_a_csv_goes_out_as_it_is_made(desk: Client) -> None:
    answer = desk.get("/apps/kenya/repayments/export.csv", **ASKED)
    assert answer.streaming
    assert "Content-Encoding" not in answer.headers
