"""Each filter of the events list is served by an index, in the order of the list."""

import os
import subprocess
import sys

import pytest

from tests.sandbox_process import ROOT, running_sandbox

# In a process of its own: the sandbox is another Django project than the one tests run in.
_PLANS = """
import sys, django
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv.pop(1)
from datetime import UTC, datetime
from lendingadmin.sandbox.models import Event
from lendingadmin.sandbox.rules.lists import read_filter
from lendingadmin.sandbox.store.events import FILTER_FIELDS, build_conditions
for text in sys.argv[1:]:
    found = build_conditions(read_filter(text, FILTER_FIELDS), datetime.now(UTC))
    rows = Event.objects.filter(found, app_id="a").order_by("created_at", "id")[:1001]
    print(rows.explain().replace(chr(10), " / "))
"""
_FILTERS = {
    "": "event_order",
    "status:0": "event_order",
    "status:1": "event_order",
    "eventType:personal_data.captured": "event_order",
    "appVersionId:v1": "event_order",
    "accountId:borrower:b": "event_account",
    "accountId:borrower:b category:sms": "event_last",
    "category:sms": "event_category",
    "timestamp:2026-01-31T00:00:00Z": "event_moment",
}


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """How the database says that it would answer each filter."""
    folder = tmp_path_factory.mktemp("plans")
    with running_sandbox(folder) as process:
        values = {"DJANGO_SETTINGS_MODULE": "lendingadmin.sandbox.settings"}
        printed = subprocess.run(
            [sys.executable, "-c", _PLANS, str(process.database), *_FILTERS],
            cwd=ROOT,
            env=os.environ | values,
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        ).stdout.splitlines()
    return dict(zip(_FILTERS, printed, strict=True))


@pytest.mark.parametrize("text", _FILTERS)
def test_a_filter_is_served_by_its_index(plans: dict[str, str], text: str) -> None:
    assert f"INDEX {_FILTERS[text]} (app_id=?" in plans[text]
    assert "TEMP B-TREE" not in plans[text]
    assert "SCAN" not in plans[text]
