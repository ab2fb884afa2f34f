"""Encryption at rest: sealed text opens with any configured key, and with none other."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.encryption import (
    DecryptionError,
    EncryptedTextField,
    Undecryptable,
    decrypt,
    encrypt,
)

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_sealed_comes_back_and_shows_nothing(text: str) -> None:
    sealed = encrypt(text)
    assert decrypt(sealed) == text
    assert sealed.isascii()
    assert len(text) < 4 or text not in sealed


def test_a_retired_key_opens_what_it_sealed_and_the_newest_seals(settings: Any) -> None:
    settings.DATA_KEYS = (OLD,)
    before = encrypt("secret")
    settings.DATA_KEYS = (NEW, OLD)
    assert decrypt(before) == "secret"
    after = encrypt("secret")
    settings.DATA_KEYS = (NEW,)
    assert decrypt(after) == "secret"
    with pytest.raises(DecryptionError):
        decrypt(before)


def test_a_field_whose_key_is_gone_can_be_shown_and_not_overwritten(settings: Any) -> None:
    field: Any = EncryptedTextField()
    settings.DATA_KEYS = (OLD,)
    stored = field.get_prep_value("note")
    assert field.from_db_value(stored) == "note"
    settings.DATA_KEYS = (NEW,)
    shown = field.from_db_value(stored)
    assert isinstance(shown, Undecryptable)
    with pytest.raises(DecryptionError):
        field.get_prep_value(shown)


def test_nothing_stays_nothing() -> None:
    field: Any = EncryptedTextField()
    assert field.get_prep_value("") == ""
    assert field.from_db_value("") == field.from_db_value(None) == ""
