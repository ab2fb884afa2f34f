"""Encryption at rest: sealed text opens with any configured key, and with none other."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.sealing import SealedTextField, Unopened, Unreadable, seal, unseal

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_sealed_comes_back_and_shows_nothing(text: str) -> None:
    sealed = seal(text)
    assert unseal(sealed) == text
    assert sealed.isascii()
    assert len(text) < 4 or text not in sealed


def test_a_retired_key_opens_what_it_sealed_and_the_newest_seals(settings: Any) -> None:
    settings.DATA_KEYS = (OLD,)
    before = seal("secret")
    settings.DATA_KEYS = (NEW, OLD)
    assert unseal(before) == "secret"
    after = seal("secret")
    settings.DATA_KEYS = (NEW,)
    assert unseal(after) == "secret"
    with pytest.raises(Unreadable):
        unseal(before)


def test_a_field_whose_key_is_gone_can_be_shown_and_not_overwritten(settings: Any) -> None:
    field: Any = SealedTextField()
    settings.DATA_KEYS = (OLD,)
    stored = field.get_prep_value("note")
    assert field.from_db_value(stored) == "note"
    settings.DATA_KEYS = (NEW,)
    shown = field.from_db_value(stored)
    assert isinstance(shown, Unopened)
    with pytest.raises(Unreadable):
        field.get_prep_value(shown)


def test_nothing_stays_nothing() -> None:
    field: Any = SealedTextField()
    assert field.get_prep_value("") == ""
    assert field.from_db_value("") == field.from_db_value(None) == ""
