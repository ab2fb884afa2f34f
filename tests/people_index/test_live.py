"""What pages and writes learn of a borrower is in the index at once."""

from typing import Any

import pytest
from django.conf import settings as product
from django.db import OperationalError
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.people.index import cards, find, live
from lendingadmin.people.index.models import BorrowerIndex
from lendingadmin.people.index.tokens import name_key
from lendingadmin.web.masking import WHOLE_RECORD
from tests.borrowers.forms import PERSON, filled
from tests.borrowers.test_adding import url
from tests.sandbox.calling import Caller

from .conftest import make_borrower

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "manager"


@pytest.fixture
def empty(app: LendingApp) -> BorrowerIndex:
    """The index of the app, in which nobody stands yet."""
    return BorrowerIndex.objects.create(
        app_id=app.app_id, key_name=name_key(product.PEOPLE_KEYS[0])
    )


def found(index: BorrowerIndex, text: str) -> list[str]:
    return [person.borrower_id for person in find.find_people(index, text, WHOLE_RECORD).people]


def add(desk: Client, app: LendingApp, borrower_id: str, surname: str) -> Any:
    fields = PERSON | {"individual__surname": surname}
    form = filled(desk.get(url(app, "new")), borrowerId=borrower_id, **fields)
    return desk.post(url(app, "new"), form)


@pytest.mark.parametrize("address", ["b/?whole=1", "b/panels/record", "b/name"])
def test_who_is_shown_is_found(
    desk: Client, app: LendingApp, book: Caller, empty: BorrowerIndex, address: str
) -> None:
    assert found(empty, "wanjiru") == []
    assert desk.get(url(app, address)).status_code == 200
    assert found(empty, "anne wanjiru") == found(empty, "0700 000 001") == ["b"]


def test_who_was_changed_elsewhere_is_found_by_the_new_name_once_shown(
    desk: Client, app: LendingApp, book: Caller, empty: BorrowerIndex
) -> None:
    live.keep(app.app_id, make_borrower("b", surname="Njoroge"))
    desk.get(url(app, "b/panels/record"))
    assert found(empty, "njoroge") == [] and found(empty, "wanjiru") == ["b"]


@pytest.mark.parametrize("address", ["gone/?whole=1", "gone/panels/record", "gone/name"])
def test_who_is_gone_at_the_service_is_gone_once_looked_at(
    desk: Client, app: LendingApp, book: Caller, empty: BorrowerIndex, address: str
) -> None:
    live.keep(app.app_id, make_borrower("gone", surname="Njoroge"))
    desk.get(url(app, address))
    assert found(empty, "njoroge") == []


def test_who_is_added_changed_and_deleted_here_is_found_accordingly(
    desk: Client, app: LendingApp, book: Caller, empty: BorrowerIndex
) -> None:
    assert add(desk, app, "n-1", "Achieng").status_code == 302
    assert found(empty, "achieng") == ["n-1"]
    page = desk.get(url(app, "n-1/delete"))
    desk.post(url(app, "n-1/delete"), filled(page, borrowerId="n-1", typed="n-1"))
    assert book.get("/borrowers/n-1").status == 404
    assert found(empty, "achieng") == found(empty, "n-1") == []


def test_an_index_that_cannot_be_written_hides_nothing(
    desk: Client, app: LendingApp, book: Caller, empty: BorrowerIndex, monkeypatch: Any
) -> None:
    def locked(*_: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(cards, "put_borrowers", locked)
    assert add(desk, app, "n-1", "Achieng").status_code == 302
    assert book.get("/borrowers/n-1").status == 200
    assert "WANJIRU" in desk.get(url(app, "b/?whole=1")).content.decode()
