"""`manage.py people_index`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from lendingadmin.people.index.models import BorrowerIndex

from .conftest import APP, Put
from .test_find import KAMAU

pytestmark = pytest.mark.django_db(transaction=True)


def told(*options: str) -> str:
    out = StringIO()
    call_command("people_index", *options, stdout=out)
    return out.getvalue()


def test_status_says_how_each_app_stands(put: Put, index: BorrowerIndex) -> None:
    put("b-1", **KAMAU)
    lines = told("--status").splitlines()
    assert lines[0].startswith("kenya: 1 borrowers, complete at 20")
    assert lines[1] == "ghana: no index yet; the worker builds it"


def test_rebuild_begins_a_walk_once(index: BorrowerIndex) -> None:
    assert told("--rebuild", "--app", APP) == "kenya: started; the worker continues it\n"
    assert told("--rebuild", "--app", APP) == "kenya: a walk is running already\n"
    assert "0 read" in told("--status", "--app", APP)


def test_an_unknown_app_is_refused() -> None:
    with pytest.raises(CommandError, match="not an app of LENDING_APPS"):
        told("--status", "--app", "mars")
