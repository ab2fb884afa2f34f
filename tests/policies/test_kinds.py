"""Each rule: what its form takes, and that a change is in force at once in another process."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.checks import run_checks
from django.test import Client
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.gateway.management.commands.lending_check import ANSWERS
from lendingadmin.core.policies.kinds import PolicyKind, fill_form, list_kinds
from lendingadmin.core.policies.lender import LENDER
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.staff import policies as retention
from lendingadmin.core.staff.models import User
from lendingadmin.lending.values import Individual
from lendingadmin.money.repayments.policies import LIMITS, read_confirm_above, read_limits
from lendingadmin.people.index.models import BorrowerIndex
from lendingadmin.records.borrowers.fields import list_fields
from lendingadmin.records.borrowers.policies import REQUIRABLE, REQUIRED_FIELDS, read_required
from lendingadmin.web.policies import (
    LOAN,
    PERFORMANCE,
    list_wordless,
    read_words,
)
from lendingadmin.web.quotas import EXPORTS, QUOTAS, read_most_exports, read_most_opened, take
from tests.people_index.conftest import Put, index, put
from tests.policies.setting import set_words

__all__ = ["index", "put"]

pytestmark = pytest.mark.django_db
ROLE = "manager"
SETTINGS = "/apps/kenya/settings/"
WORDS = {
    "loan0_number": "1", "loan0_word": "pending", "loan1_number": "2", "loan1_word": "open",
    "performance0_number": "7", "performance0_word": "watch",
    "borrower0_number": "9", "borrower0_word": "",
}  # fmt: skip


def change(desk: Client, key: str, **fields: Any) -> Any:
    return desk.post(f"{SETTINGS}{key}/", {"reason": "licence", "seen": "0", **fields})


def test_limits(desk: Client) -> None:
    change(desk, "repayment-limits", amount="50,000", day="", look_alikes="on", confirm_above="9.5")
    assert LIMITS.describe_now and "0 repayments" in LIMITS.describe_now(lending_app("kenya"))
    limits = read_limits("kenya")
    assert limits and limits == (Decimal(50000), None, True)
    assert read_confirm_above("kenya") == Decimal("9.5")
    assert (read_limits("ghana"), read_confirm_above("ghana")) == (None, None)


def test_the_lender_s_page_names_what_papers_lack(desk: Client) -> None:
    given = {"name": "Umoja", "language": "en", "licence": "CBK 7", "phone": "0800", "address": "N"}
    given |= {"payment": "Paybill 522533"}
    change(desk, "lender", **given)
    assert LENDER.describe_now
    lacking = LENDER.describe_now(lending_app("kenya"))
    labels = {name: str(field.label) for name, field in LENDER.form.base_fields.items()}
    assert labels.pop("complaints") in lacking
    assert not [label for label in labels.values() if label in lacking]


def test_the_effect_of_retention_counts_what_is_too_old(desk: Client) -> None:
    task = DBTaskResult.objects.create(
        status=TaskResultStatus.FAILED,
        task_path="none",
        args_kwargs={},
        finished_at=timezone.now() - timedelta(days=15),
    )
    kind = retention.RETENTION
    assert kind.describe_now and kind.describe_now(lending_app("kenya")).find(" 1 ") > 0
    task.delete()
    assert kind.describe_now(lending_app("kenya")).find(" 0 ") > 0


def test_the_effect_of_quotas_is_the_largest_number_of_exports_today(
    desk: Client, people: dict[str, User]
) -> None:
    assert QUOTAS.describe_now
    assert "2" not in QUOTAS.describe_now(lending_app("kenya"))
    for role, times in (("manager", 2), ("support", 1)):
        person = people[role]
        person.app_id = "kenya"
        for _ in range(times):
            take(person, EXPORTS)
    assert "2" in QUOTAS.describe_now(lending_app("kenya"))
    assert "2" not in QUOTAS.describe_now(lending_app("ghana"))


def test_the_effect_of_required_fields_counts_the_borrowers_that_are_left_alone(
    index: BorrowerIndex, put: Put
) -> None:
    kind, app = REQUIRED_FIELDS, lending_app(index.app_id)
    assert kind.describe_now and " 0 " in kind.describe_now(app)
    put("B-1", surname="WANJIRU")
    assert " 1 " in kind.describe_now(app)


def test_required_fields(desk: Client) -> None:
    change(desk, "required-fields", individual=["surname", "governmentIdNo"])
    assert read_required("kenya") == {"individual": ["surname", "governmentIdNo"], "company": []}
    assert read_required("ghana")["company"] == ["companyName", "phoneNumber"]


def test_who_misses_a_field_is_told_of_its_rule(desk: Client) -> None:
    page = desk.post("/apps/kenya/borrowers/new", {"general-category": "individual"})
    assert f'href="{SETTINGS}required-fields/"' in page.content.decode()


def test_quotas(desk: Client) -> None:
    change(desk, "quotas", exports="7", opened="30")
    assert (read_most_exports("kenya"), read_most_opened("kenya")) == (7, 30)
    assert read_most_opened("ghana") == 100


def test_status_words_hold_in_all_apps(desk: Client) -> None:
    change(desk, "status-words", **WORDS)
    assert read_words(LOAN) == {"1": "pending", "2": "open"}
    assert read_words(PERFORMANCE) == {"7": "watch"} and read_words("borrower") == {}
    assert PolicyVersion.objects.get().app_id == ""
    page = desk.get("/apps/ghana/settings/status-words/").content.decode()
    assert 'name="performance0_number" value="7"' in page


def test_retention(desk: Client) -> None:
    change(
        desk, "retention", texts="365", texts_notes="30", rows="0", rows_tasks="3", rows_files="9"
    )
    kinds = [("texts", "calls"), ("texts", "notes"), ("rows", "writes"), ("rows", "tasks")]
    assert [retention.read_days(*one) for one in kinds] == [365, 30, 0, 3]


@pytest.mark.parametrize(
    ("key", "fields", "name", "code"),
    [
        ("repayment-limits", {"amount": "-1"}, "amount", "unreadable"),
        ("repayment-limits", {"day": "ten"}, "day", "unreadable"),
        ("repayment-limits", {"day": "1.005"}, "day", "ambiguous"),
        ("repayment-limits", {"day": "010.001"}, "day", "decimals"),
        ("repayment-limits", {"amount": "GHS 5"}, "amount", "currency"),
        ("required-fields", {"individual": ["shoeSize"]}, "individual", "invalid_choice"),
        ("quotas", {"exports": "0", "opened": "1"}, "exports", "min_value"),
        ("quotas", {"exports": "1", "opened": "301"}, "opened", "max_value"),
        ("status-words", {**WORDS, "loan1_number": "1"}, "loan1", "twice"),
        ("status-words", {**WORDS, "loan1_number": "two"}, "loan1", "number"),
        ("status-words", {**WORDS, "loan1_number": ""}, "loan1", "number"),
        ("retention", {"texts": "-1", "rows": "0", "rows_tasks": "1", "rows_files": "1"},
         "texts", "min_value"),
        ("retention", {"texts": "1", "rows": "89", "rows_tasks": "1", "rows_files": "1"},
         "rows", "least"),
        ("retention", {"texts": "1", "rows": "90", "rows_calls": "5", "rows_tasks": "1",
                       "rows_files": "1"}, "rows_calls", "least"),
        ("retention", {"texts": "", "rows": "0", "rows_tasks": "1", "rows_files": "1"},
         "texts", "required"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_beside_its_field(
    desk: Client, key: str, fields: dict[str, Any], name: str, code: str
) -> None:
    answer = change(desk, key, **fields)
    assert answer.status_code == 200
    found = answer.context["form"].errors.as_data()
    assert {field: [one.code for one in errors] for field, errors in found.items()} == {
        name: [code]
    }
    assert f'id="id_{name}_error"' in answer.content.decode()
    assert not PolicyVersion.objects.exists()


def test_numbers_that_were_seen_have_a_row_and_are_told_of_without_a_word(
    desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "lendingadmin.web.policies.collect", lambda _kind: [lambda: {LOAN: ["2", "8", "odd"]}]
    )
    set_words(loan={"2": "open"}, performance={})
    assert [number for _table, number in list_wordless()] == ["8"]
    (note,) = run_checks(tags=[ANSWERS], databases=["default"])
    assert note.id == "lendingadmin.I001" and ": 8 " in note.msg
    assert run_checks(tags=[ANSWERS]) == []
    page = desk.get(f"{SETTINGS}status-words/").content.decode()
    assert 'name="loan1_number" value="8"' in page


@pytest.mark.parametrize("kind", list_kinds(), ids=lambda kind: kind.key)
def test_who_sends_a_form_as_it_is_shown_changes_nothing(desk: Client, kind: PolicyKind) -> None:
    form = fill_form(kind, lending_app("kenya"), kind.complete(None))
    assert form.is_valid(), form.errors
    assert form.get_values() == kind.complete(None)
    sent = {name: form.data.getlist(name) for name in form.data}
    desk.post(f"{SETTINGS}{kind.key}/", {**sent, "reason": "r", "seen": "0"})
    assert not PolicyVersion.objects.exists()


def test_every_field_of_a_borrower_can_be_required() -> None:
    names = {category: {name for name, _label in found} for category, found in REQUIRABLE.items()}
    lists = {field.name for field in list_fields("biometrics")}
    assert names["individual"] | lists == {*Individual.api_names.values()}
    assert lists == {"photos", "fingerprints"}
    assert names["company"] == {"companyName", "phoneNumber", "emailAddress"}
    assert all(map(all, (field.in_company for field in list_fields("company"))))
