"""Rules as a TOML file: what is written is read again, and a wrong file changes nothing."""

import tomllib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.policies.files import save_file, write_file
from lendingadmin.core.policies.lender import LENDER, read_lender
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import read_values
from lendingadmin.desk.collections.policies import CALLING
from lendingadmin.money.repayments.policies import LIMITS
from lendingadmin.web.policies import STATUS_WORDS
from tests.policies.setting import set_calling, set_limits, set_policy, set_retention, set_words

pytestmark = pytest.mark.django_db


def load(tmp_path: Path, text: str) -> str:
    file, out = tmp_path / "rules.toml", StringIO()
    file.write_text(text, encoding="utf-8")
    call_command("policy", "import", str(file), stdout=out)
    return out.getvalue()


def test_what_is_written_is_read_again_on_another_host(tmp_path: Path) -> None:
    set_policy(LENDER, name='Umoja “Credit” \\ "Ltd" 🦁', address="Street #1 = é")
    set_calling(hours=[["08:00", "19:00"], *[None] * 6], closed=[["2026-12-24", "staff day"]])
    set_limits(amount="50000.50", look_alikes=True)
    set_words(loan={"1": "pending", "-2": "open"}, performance={})
    set_retention(texts=365, texts_notes=30)
    text = write_file()
    before = {kind.key: read_values(kind, "kenya") for kind in (LENDER, CALLING, LIMITS)}
    before[STATUS_WORDS.key] = read_values(STATUS_WORDS)
    PolicyVersion.objects.all().delete()
    assert load(tmp_path, text).count("Saved: ") == 5
    after = {kind.key: read_values(kind, "kenya") for kind in (LENDER, CALLING, LIMITS)}
    assert after | {STATUS_WORDS.key: read_values(STATUS_WORDS)} == before
    assert write_file() == text
    assert load(tmp_path, text).count("Saved: ") == 0


def test_rules_that_a_file_does_not_have_stay(tmp_path: Path) -> None:
    set_policy(LENDER, name="Umoja")
    load(tmp_path, "[apps.kenya.late-sheets]\ndays = 5\n")
    assert read_lender("kenya").name == "Umoja"
    entry = Entry.objects.get(action="dashboard.policies.change")
    assert entry.username == "system" and "2 → 5" in entry.detail


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        "[rules]\nx = 1",
        "[apps.uganda.late-sheets]\ndays = 5",
        "[apps.kenya.shoe-size]\ndays = 5",
        "[apps.kenya.status-words]\nloan = {}",
        "[shared.late-sheets]\ndays = 5",
        "[apps.kenya.late-sheets]\ndays = 5\nhours = 6",
        "[apps.kenya.late-sheets]\ndays = -1",
        '[apps.kenya.late-sheets]\ndays = "many"',
        "[apps.kenya]\nlate-sheets = 5",
        '[apps.kenya.calling]\nhours = [["19:00", "08:00"], [], [], [], [], [], []]',
        '[apps.kenya.repayment-limits]\namount = "12.345"',
    ],
)
def test_a_wrong_file_changes_nothing(tmp_path: Path, text: str) -> None:
    good = "[apps.ghana.late-sheets]\ndays = 9\n"
    with pytest.raises(CommandError):
        load(tmp_path, good + text)
    assert not PolicyVersion.objects.exists()
    # The good part alone is taken.
    assert save_file(good, "r")


def test_the_file_has_all_rules() -> None:
    found = tomllib.loads(write_file())
    assert set(found) == {"shared", "apps"} and set(found["apps"]) == {"kenya", "ghana"}
    assert "is_on" in found["shared"]["second-manager"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        call_command("policy", "import", str(tmp_path / "no.toml"))
