"""`manage.py reencrypt`: afterwards a retired key opens nothing, and is needed for nothing."""

import re
from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import connection

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.encryption import Undecryptable, bind
from lendingadmin.core.gateway.models import ServiceToken
from lendingadmin.core.monitoring.models import Canary
from lendingadmin.core.staff import reencryption
from lendingadmin.core.staff.management.commands.reencrypt import NONE_NEEDS_IT
from lendingadmin.core.staff.models import User
from lendingadmin.web.models import Draft
from tests.totp import make_code

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def run(*options: str) -> str:
    told = StringIO()
    call_command("reencrypt", *options, stdout=told)
    return told.getvalue()


def unbind(token: str, text: str, key: str = OLD) -> str:
    """Put a text into a draft as it was encrypted before texts were bound."""
    ciphertext = Fernet(key).encrypt(text.encode()).decode()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE ui_draft SET entered = %s WHERE token = %s", [ciphertext, token])
    return ciphertext


def list_ciphertexts() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT entered FROM ui_draft UNION SELECT encrypted FROM gateway_servicetoken"
        )
        return [row[0] for row in cursor.fetchall() if row[0]]


@pytest.fixture
def drafts(officer: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[Draft]:
    """Five rows under an old key, more than a slice, which is not the newest any more."""
    monkeypatch.setattr(reencryption, "ROWS_AT_ONCE", 2)
    # `migrate` kept it under the key of all tests.
    Canary.objects.all().delete()
    settings.DATA_KEYS = (OLD,)
    rows = [
        Draft.objects.create(token=f"t{n}", person=officer, purpose="p", entered=f"text {n}")
        for n in range(5)
    ]
    unbind("t4", "text 4")
    settings.DATA_KEYS = (NEW, OLD)
    return rows


def test_afterwards_the_old_key_is_needed_for_nothing(
    drafts: list[Draft], officer: User, settings: Any
) -> None:
    settings.DATA_KEYS = (OLD,)
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(officer, secret)
    codes = RecoveryCodes.activate(officer).get_unused_codes()
    row = ServiceToken.objects.create(key="k" * 64)
    ServiceToken.objects.update(**bind(row, encrypted="a token"))
    settings.DATA_KEYS = (NEW, OLD)
    told = run()
    assert re.search("^ui_draft: 5 texts, 5 encrypted again$", told, re.MULTILINE)
    assert re.search("^gateway_servicetoken: 1 texts, 1 enc", told, re.MULTILINE)
    assert re.search("^mfa_authenticator: 2 texts, 2 enc", told, re.MULTILINE)
    settings.DATA_KEYS = (NEW,)
    assert [one.entered for one in Draft.objects.order_by("pk")] == [f"text {n}" for n in range(5)]
    assert ServiceToken.objects.get().encrypted == "a token"
    app = Authenticator.objects.get(type=Authenticator.Type.TOTP).wrap()
    found = Authenticator.objects.get(type=Authenticator.Type.RECOVERY_CODES).wrap()
    assert app.validate_code(make_code(secret))
    assert found.get_unused_codes() == codes


def test_what_was_not_bound_is_bound_even_under_the_newest_key(drafts: list[Draft]) -> None:
    run()
    moved = unbind("t4", "text 4", NEW)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE ui_draft SET entered = %s WHERE token = 't3'", [moved])
    assert Draft.objects.get(token="t3").entered == "text 4"
    unbind("t3", "text 3", NEW)
    assert "ui_draft: 5 texts, 2 encrypted again" in run()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE ui_draft SET entered = (SELECT entered FROM ui_draft WHERE token = 't4')"
            " WHERE token = 't3'"
        )
    assert isinstance(Draft.objects.get(token="t3").entered, Undecryptable)


def test_a_check_changes_nothing_and_says_when_none_needs_it(drafts: list[Draft]) -> None:
    before = list_ciphertexts()
    with pytest.raises(CommandError, match="5 texts must still be encrypted again"):
        run("--check")
    assert list_ciphertexts() == before and not Entry.objects.exists()
    run()
    after = list_ciphertexts()
    assert NONE_NEEDS_IT in run("--check")
    assert "ui_draft: 5 texts, 0 encrypted again" in run()
    assert list_ciphertexts() == after
    assert set(Entry.objects.values_list("username", "action", "subject", "outcome")) == {
        ("system", "command", "reencrypt", "done")
    }


def test_a_row_that_was_written_meanwhile_is_not_overwritten(
    drafts: list[Draft], monkeypatch: pytest.MonkeyPatch
) -> None:
    def reencrypt(ciphertext: str, *place: str) -> str:
        if place[-1] == "t1":
            Draft.objects.filter(token="t1").update(**bind(drafts[1], entered="newer"))
        return plain(ciphertext, *place)

    plain = reencryption.reencrypt
    monkeypatch.setattr(reencryption, "reencrypt", reencrypt)
    assert "ui_draft: 5 texts, 4 encrypted again" in run()
    assert Draft.objects.get(token="t1").entered == "newer"


def test_rows_that_cannot_be_opened_are_named_and_left_as_they_are(
    drafts: list[Draft], settings: Any
) -> None:
    lost = unbind("t2", "text 2", Fernet.generate_key().decode())
    told = StringIO()
    with pytest.raises(CommandError, match="1 rows cannot be opened"):
        call_command("reencrypt", stdout=told)
    assert "cannot be opened: ui_draft t2\n" in told.getvalue()
    assert lost in list_ciphertexts()
    settings.DATA_KEYS = (NEW,)
    assert Draft.objects.get(token="t3").entered == "text 3"
    assert "1 rows cannot be opened" in Entry.objects.latest("id").detail
