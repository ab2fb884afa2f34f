"""An upgrade takes over, once, what earlier versions read from the environment."""

import importlib
from typing import Any

import pytest
from django.apps import apps

from lendingadmin.core import env
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.policies.kinds import fill_form, find_kind
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import read_values
from lendingadmin.money.repayments.policies import LIMITS
from tests.policies.setting import set_limits

OLD = importlib.import_module("lendingadmin.core.policies.migrations.0003_old_variables")
APPS = ["kenya", "ghana"]
ENVIRON = {
    "LENDING_LOAN_STATUSES": "1:pending, 2:open",
    "LENDING_PRODUCT_STATUSES": "1:active",
    "APPROVAL_LIMITS": "kenya:100000:300000:look-alikes,ghana::20000",
    "CONFIRM_ABOVE": "kenya:20000.50",
    "SECOND_MANAGER": "off",
    "KEEP_TEXTS_DAYS": "730,calls:365",
    "KEEP_ROWS_DAYS": "0,writes:1095,files:30",
    "EXPORTS_PER_DAY": "20",
    "MASS_READING": "60",
    "BORROWER_REQUIRED": "surname/companyName,phoneNumber,surname/othernames",
    "CONTACT_HOURS": "kenya:mon-sat 8-18:30,ghana:mon-sun 0-24",
    "CONTACT_ATTEMPTS": "kenya:1:3",
    "CONTACT_HOLIDAYS": "off",
    "CONTACT_CLOSED": "kenya:2026-12-31,kenya:2026-12-24",
    "LENDER_NAMES": "kenya:Umoja Credit",
    "LENDER_LANGUAGES": "kenya:sw",
    "SHEETS_BACK_AFTER": "1",
}
KENYA: dict[str, Any] = {
    "repayment-limits": {
        "amount": "100000", "day": "300000", "look_alikes": True, "confirm_above": "20000.50",
    },
    "quotas": {"exports": 20, "opened": 60},
    "required-fields": {
        "individual": ["surname", "phoneNumber"], "company": ["companyName", "phoneNumber"],
    },
    "calling": {
        "hours": [*[["08:00", "18:30"]] * 6, None], "a_day": 1, "a_week": 3,
        "has_holidays": False, "closed": [["2026-12-24", "closed"], ["2026-12-31", "closed"]],
    },
    "lender": {"name": "Umoja Credit", "language": "sw"},
    "late-sheets": {"days": 1},
}  # fmt: skip
SHARED = {
    "status-words": {"loan": {"1": "pending", "2": "open"}, "product": {"1": "active"}},
    "second-manager": {"is_on": False},
    "retention": {
        "texts": 730,
        "texts_calls": 365,
        "rows": 0,
        "rows_writes": 1095,
        "rows_files": 30,
    },
}


def test_each_variable_becomes_its_rule() -> None:
    assert set(ENVIRON) | set(OLD._WORDS) == set(OLD.NAMES) == set(env.RULES)
    found, _names, wrong = OLD.read_old(ENVIRON, APPS)
    assert {key: values for (app, key), values in found.items() if app == "kenya"} == KENYA
    assert {key: values for (app, key), values in found.items() if not app} == SHARED
    assert found["ghana", "repayment-limits"] == {
        "amount": None, "day": "20000", "look_alikes": False,
    }  # fmt: skip
    assert found["ghana", "calling"]["hours"] == [["00:00", "00:00"]] * 7 and not wrong


@pytest.mark.django_db
def test_the_forms_accept_what_is_taken_over() -> None:
    found, _names, _wrong = OLD.read_old(ENVIRON, APPS)
    for (app_id, key), values in found.items():
        kind = find_kind(key)
        assert kind and kind.is_shared == (not app_id)
        form = fill_form(kind, lending_app(app_id or "kenya"), kind.complete(values))
        assert form.is_valid(), (key, form.errors)
        assert form.get_values() == kind.complete(values)


@pytest.mark.parametrize("name", ENVIRON)
def test_one_that_can_t_be_read_is_named(name: str) -> None:
    found, _names, wrong = OLD.read_old({name: "kenya:#:#"}, APPS)
    assert wrong == [name] or found


@pytest.mark.django_db
def test_the_migration_saves_them_once_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    set_limits(amount="7")
    for name, text in {**ENVIRON, "CONTACT_ATTEMPTS": "many"}.items():
        monkeypatch.setenv(name, text)
    for _time in range(2):
        OLD.take_over(apps, None)
    said = capsys.readouterr().out
    assert "CONTACT_ATTEMPTS could not be read" in said and "ghana, repayment-limits" in said
    # A rule that a manager set stays.
    assert read_values(LIMITS, "kenya")["amount"] == "7"
    assert read_values(LIMITS, "ghana")["day"] == "20000"
    version = PolicyVersion.objects.get(app_id="ghana", kind=LIMITS.key)
    assert version.author == "system" and "APPROVAL_LIMITS" in version.reason
