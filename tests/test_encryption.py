"""Encryption at rest: text opens with any configured key in its own place, and nowhere else."""

import base64
import copy
import io
import pickle
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.core.management import call_command
from django.db import connection, transaction
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.core.encryption import (
    Ciphertext,
    DecryptionError,
    EncryptedTextField,
    Unbound,
    Undecryptable,
    bind,
    decrypt,
    encrypt,
    reencrypt,
)
from lendingadmin.core.staff.models import User
from lendingadmin.web.models import Draft

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def encrypt_unbound(text: str, key: str) -> str:
    """As it was done before texts were bound."""
    return Fernet(key).encrypt(text.encode()).decode()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_encrypted_comes_back_and_shows_nothing(text: str) -> None:
    ciphertext = encrypt(text, "here")
    assert decrypt(ciphertext, "here") == text
    assert ciphertext.isascii()
    assert len(text) < 4 or text not in ciphertext


def test_a_retired_key_opens_what_it_encrypted_and_the_newest_encrypts(settings: Any) -> None:
    settings.DATA_KEYS = (OLD,)
    before = encrypt("secret")
    settings.DATA_KEYS = (NEW, OLD)
    assert decrypt(before) == "secret"
    after = encrypt("secret")
    settings.DATA_KEYS = (NEW,)
    assert decrypt(after) == "secret"
    with pytest.raises(DecryptionError):
        decrypt(before)


@pytest.mark.parametrize("other", [(), ("a",), ("a", "c"), ("a", "b", ""), ("ab",), ('a", "b',)])
def test_what_is_encrypted_for_a_place_opens_in_no_other(other: tuple[str, ...]) -> None:
    with pytest.raises(DecryptionError):
        decrypt(encrypt("secret", "a", "b"), *other)


def test_a_text_cannot_pretend_to_be_bound(settings: Any) -> None:
    settings.DATA_KEYS = (NEW,)
    typed = '\0["a"]\0secret'
    assert decrypt(encrypt(typed, "b"), "b") == typed
    with pytest.raises(DecryptionError):
        decrypt(encrypt(typed, "b"), "a")


def test_what_was_encrypted_before_opens_until_it_is_reencrypted(settings: Any) -> None:
    settings.DATA_KEYS = (NEW, OLD)
    for old in (encrypt_unbound("secret", OLD), encrypt_unbound("secret", NEW)):
        assert decrypt(old, "a") == "secret"
        new = reencrypt(old, "a")
        assert new != old and decrypt(new, "a") == "secret"
        assert reencrypt(new, "a") == new
        with pytest.raises(DecryptionError):
            reencrypt(new, "b")


# --- the field --------------------------------------------------------------------------


@pytest.fixture
def drafts(officer: User) -> list[Draft]:
    """Two rows with a text each."""
    return [
        Draft.objects.create(token=name, person=officer, purpose="p", entered=f"text of {name}")
        for name in ("one", "two")
    ]


def stored(token: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT entered FROM ui_draft WHERE token = %s", [token])
        return str(cursor.fetchone()[0])


def test_every_encrypted_column_is_bound_to_its_row() -> None:
    fields = [
        field
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, EncryptedTextField)
    ]
    assert len(fields) > 10
    assert [str(field) for field in fields if not field.bound_to] == []


def test_every_way_to_write_a_row_binds_its_text(drafts: list[Draft], officer: User) -> None:
    Draft.objects.bulk_create([Draft(token="three", person=officer, purpose="p", entered="third")])
    Draft.objects.update_or_create(token="one", defaults={"entered": "first"})
    row = drafts[1]
    row.entered = "second"
    row.save(update_fields=["entered"])
    assert row.entered == "second"
    for token, text in (("one", "first"), ("two", "second"), ("three", "third")):
        assert decrypt(stored(token), "ui_draft", "entered", token) == text
        assert Draft.objects.get(token=token).entered == text
    changes = bind(Draft(token="one"), entered="again", purpose="q")
    Draft.objects.filter(token="one").update(**changes)
    found = Draft.objects.get(token="one")
    assert (found.entered, found.purpose) == ("again", "q")


def test_a_text_that_somebody_moves_to_another_row_does_not_open(drafts: list[Draft]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE ui_draft SET entered = %s", [stored("one")])
    assert Draft.objects.get(token="one").entered == "text of one"
    moved = Draft.objects.get(token="two")
    assert isinstance(moved.entered, Undecryptable) and "text of" not in moved.entered
    with pytest.raises(DecryptionError):
        moved.save()


def test_an_update_that_cannot_be_bound_is_refused(drafts: list[Draft]) -> None:
    before = stored("one")
    with pytest.raises(Unbound), transaction.atomic():
        Draft.objects.filter(token="one").update(entered="clear")
    drafts[0].entered = "clear"
    with pytest.raises(Unbound), transaction.atomic():
        Draft.objects.bulk_update(drafts, ["entered"])
    with pytest.raises(Unbound):
        Draft.objects.filter(entered="text of one").exists()
    assert stored("one") == before
    assert Draft.objects.exclude(entered="").count() == 2
    Draft.objects.update(entered="")
    assert stored("one") == ""


def test_deferred_columns_are_read_when_they_are_asked_for(drafts: list[Draft]) -> None:
    assert Draft.objects.defer("entered").get(token="one").entered == "text of one"
    row = Draft.objects.only("entered").get(token="one")
    assert row.entered == "text of one"
    row.refresh_from_db(fields=["entered"])
    assert row.entered == "text of one"


def test_values_give_what_stands_in_the_column(drafts: list[Draft]) -> None:
    for found in (
        Draft.objects.values_list("entered", flat=True).get(token="one"),
        Draft.objects.values("entered").get(token="one")["entered"],
    ):
        assert isinstance(found, Ciphertext) and found == stored("one")
    drafts[1].entered = found
    assert isinstance(drafts[1].entered, Undecryptable)


def test_a_row_can_be_copied_before_it_was_opened(drafts: list[Draft]) -> None:
    row = Draft.objects.get(token="one")
    assert copy.deepcopy(row).entered == pickle.loads(pickle.dumps(row)).entered == "text of one"


def test_text_whose_key_is_gone_can_be_shown_and_not_overwritten(
    settings: Any, drafts: list[Draft]
) -> None:
    settings.DATA_KEYS = (NEW,)
    row = Draft.objects.get(token="one")
    assert isinstance(row.entered, Undecryptable)
    for write in (row.save, lambda: bind(row, entered=row.entered)):
        with pytest.raises(DecryptionError):
            write()


def test_nothing_stays_nothing(officer: User) -> None:
    row = Draft.objects.create(token="none", person=officer, purpose="p")
    assert row.entered == stored("none") == Draft.objects.get(token="none").entered == ""


@given(st.text(min_size=1), st.integers(min_value=1), st.integers(1, 127))
def test_a_text_that_was_changed_does_not_open(text: str, position: int, change: int) -> None:
    with override_settings(DATA_KEYS=(NEW,)):
        whole = bytearray(base64.urlsafe_b64decode(encrypt(text, "a")))
        whole[position % len(whole)] ^= change
        with pytest.raises(DecryptionError):
            decrypt(base64.urlsafe_b64encode(whole).decode(), "a")


def test_a_new_key_is_random() -> None:
    keys = {call_command_for_text("new_data_key") for _ in range(20)}
    assert len(keys) == 20
    assert {len(base64.urlsafe_b64decode(key)) for key in keys} == {32}


def call_command_for_text(name: str) -> str:
    """What a command prints."""
    printed = io.StringIO()
    call_command(name, stdout=printed)
    return printed.getvalue().strip()
