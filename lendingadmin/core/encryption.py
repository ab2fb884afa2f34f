"""Encryption at rest. Secrets and personal data are encrypted before they are stored.

The keys come from DATA_KEYS, newest first. The first key encrypts, and all of the keys decrypt. So
an old key can be removed after `manage.py reencrypt` has run.

A ciphertext is bound to its place: the authenticated part contains the place and then the text. So
an attacker without a key can't move a ciphertext to another row, column or use: there it does not
open. Binding does not detect three changes: an earlier value of the same row is stored again, a
text is emptied, or two rows are exchanged together with the columns to which their texts are bound.
A text that was encrypted before bindings existed has no place, and opens everywhere until it is
encrypted again.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import models
from django.db.models.query_utils import DeferredAttribute

# A bound text starts with this character. No other text does, because forms refuse the character
# and JSON escapes it.
_MARK = "\0"


class DecryptionError(Exception):
    """Error: no key of DATA_KEYS opens a text, or the text is bound to another place."""


class Unbound(TypeError):
    """Error: a text for an encrypted column was to be stored without a known row."""


@lru_cache(maxsize=4)
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def _build_prefix(place: Sequence[str]) -> str:
    return f"{_MARK}{json.dumps(place)}{_MARK}"


def encrypt(text: str, *place: str) -> str:
    """Encrypt and authenticate the text. The result is ASCII and about a third longer.

    `place` is where the result will be stored: a use, or the table, the column and the values
    that identify the row.
    """
    bound = (_build_prefix(place) + text).encode()
    return _keys(tuple(settings.DATA_KEYS)).encrypt(bound).decode("ascii")


def decrypt(ciphertext: str, *place: str) -> str:
    """Return the text that was encrypted for this place.

    Raise DecryptionError if no key fits, or if the text was encrypted for another place.
    """
    return _open(_keys(tuple(settings.DATA_KEYS)), ciphertext, place)[0]


def reencrypt(ciphertext: str, *place: str) -> str:
    """Return the same text, bound and encrypted with the newest key.

    The ciphertext is unchanged if it is already bound and has the newest key. Raise
    DecryptionError as `decrypt` does.
    """
    try:
        newest = _keys((settings.DATA_KEYS[0],))
        is_current = _open(newest, ciphertext, place)[1]
    except DecryptionError:
        is_current = False
    return ciphertext if is_current else encrypt(decrypt(ciphertext, *place), *place)


def _open(keys: MultiFernet, ciphertext: str, place: Sequence[str]) -> tuple[str, bool]:
    """Return the text, and True if the text is bound.

    Raise DecryptionError for a wrong key or place.
    """
    try:
        text = keys.decrypt(ciphertext.encode("ascii")).decode()
    except (InvalidToken, UnicodeError) as error:
        raise DecryptionError("no key of DATA_KEYS opens this") from error
    if not text.startswith(_MARK):
        return text, False
    prefix = _build_prefix(place)
    if not text.startswith(prefix):
        raise DecryptionError("this was encrypted for another place")
    return text[len(prefix) :], True


class Undecryptable(str):
    """Replacement for text that cannot be opened, so that the other columns can be shown."""


class Ciphertext(str):
    """Encrypted content of a column, as `values()` and `values_list()` return it."""


class _DecryptedText(DeferredAttribute):
    """Decrypts a column's text at its first use, because the row is complete only then."""

    field: "EncryptedTextField"

    def __get__(self, row: Any, owner: Any = None) -> Any:
        value = super().__get__(row, owner)
        if isinstance(value, Ciphertext):
            value = row.__dict__[self.field.attname] = self.field.decrypt(value, row)
        return value

    def __set__(self, row: Any, value: object) -> None:
        row.__dict__[self.field.attname] = value


if TYPE_CHECKING:
    _Text = models.TextField[str, str]
else:
    # Django's own class takes no type arguments; only its type stubs do.
    _Text = models.TextField


class EncryptedTextField(_Text):
    """Field for text that the database stores encrypted. Python reads it; filters can't use it.

    `bound_to` names columns of the row that are set when the row is made and never change. Unique
    columns are best. The text is bound to the values of these columns, and to the names of its
    table and its column. If a table or column is renamed, a migration must encrypt the texts again.

    For a text that cannot be opened, the field returns an Undecryptable sentence. An attempt to
    store this sentence raises DecryptionError, because it would replace the old text, which a
    recovered key could still open. `save`, `create` and `bulk_create` bind texts. For an `update`
    of one row, use `bind`; otherwise `update` and `bulk_update` raise Unbound.
    """

    descriptor_class = _DecryptedText
    # A change of this option does not change the column in the database.
    non_db_attrs = (*models.TextField.non_db_attrs, "bound_to")

    def __init__(self, *args: Any, bound_to: Sequence[str] = (), **options: Any) -> None:
        self.bound_to = tuple(bound_to)
        super().__init__(*args, **options)

    def deconstruct(self) -> Any:
        name, path, args, options = super().deconstruct()
        return name, path, args, options | ({"bound_to": self.bound_to} if self.bound_to else {})

    def list_place(self, row: Any) -> list[str]:
        """Return the place of this row's text, for its encryption."""
        meta = self.model._meta
        fields = map(meta.get_field, self.bound_to)
        values = (field.value_to_string(row) for field in fields)  # type: ignore[union-attr]
        return [meta.db_table, str(self.column), *values]

    def decrypt(self, ciphertext: str, row: Any) -> str:
        """Return the text of this row, or an Undecryptable sentence if it cannot be opened.

        The row may also be a named row of `values_list` that has the fields of `bound_to`.
        """
        try:
            return decrypt(ciphertext, *self.list_place(row))
        except DecryptionError:
            return Undecryptable(
                "(can't be decrypted: the key is missing, or the text is from another row)"
            )

    def encrypt(self, text: object, row: models.Model) -> str:
        """Return the encrypted text to store in this row; an empty text stays empty.

        Raise DecryptionError for an Undecryptable text.
        """
        if isinstance(text, Undecryptable):
            raise DecryptionError("text that could not be decrypted must not be stored again")
        return Ciphertext(encrypt(str(text), *self.list_place(row))) if text else ""

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        return self.encrypt(getattr(model_instance, self.attname), model_instance)

    def get_prep_value(self, value: object) -> str:
        if value and not isinstance(value, Ciphertext):
            raise Unbound(f"{self} takes text of a known row only: bind it")
        return str(value or "")

    def from_db_value(self, value: str | None, *args: object) -> str:
        return Ciphertext(value) if value else ""


def bind(row: models.Model, **values: Any) -> dict[str, Any]:
    """Return the values for an `update` of only this row, with encrypted texts bound to the row."""
    fields = {field.name: field for field in row._meta.concrete_fields}
    return {
        name: field.encrypt(value, row)
        if isinstance(field := fields.get(name), EncryptedTextField)
        else value
        for name, value in values.items()
    }
