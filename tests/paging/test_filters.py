"""A status that has no word can be filtered for: chosen as “another”, then written."""

import re
from html import unescape

import pytest
from django.test import Client

from tests.paging.service import PagedService
from tests.policies.setting import set_words

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def words() -> None:
    set_words(loan={"1": "pending", "2": "open"})


def text(desk: Client, address: str) -> str:
    return desk.get(address).content.decode()


def control(page: str, name: str) -> str:
    found = re.search(
        rf'<select name="{name}".*?</select>|<input [^>]*name="{name}"[^>]*>', page, re.S
    )
    assert found, name
    return unescape(found[0])


LISTS = [("loans", "status"), ("events", "status"), ("events", "category")]


@pytest.mark.parametrize(("name", "field"), LISTS)
def test_another_value_is_written_and_then_asked_for(
    desk: Client, service: PagedService, name: str, field: str
) -> None:
    where = f"/apps/kenya/{name}/"
    chosen = re.search(r'<option value="([^"]+)">other …', control(text(desk, where), field))
    assert chosen
    before = service.hits(name)
    answer = desk.get(f"{where}?{field}={chosen[1]}")
    page, form = answer.content.decode(), answer.context["form"]
    assert control(page, field).startswith("<input")
    assert "value=" not in control(page, field)
    assert form.has_error(field, "unwritten") and f'id="{form[field].auto_id}_error"' in page
    assert service.hits(name) == before
    page = text(desk, f"{where}?{field}=77")
    assert f"filter={field}%3A77" in service.server.last(name).line
    assert '<option value="77" selected>77</option>' in control(page, field)


def test_an_export_of_another_asks_back(desk: Client, service: PagedService) -> None:
    answer = desk.get("/apps/kenya/loans/export.csv?status=another+one")
    assert answer.headers["Location"] == "/apps/kenya/loans/?status=another+one"
    assert service.hits("loans") == 0


@pytest.mark.parametrize("name", ["loans", "events"])
def test_an_export_of_a_refused_filter_goes_back_to_the_filter(
    desk: Client, service: PagedService, name: str
) -> None:
    answer = desk.get(f"/apps/kenya/{name}/export.csv?accountId=a+b")
    assert answer.headers["Location"] == f"/apps/kenya/{name}/?accountId=a+b"
