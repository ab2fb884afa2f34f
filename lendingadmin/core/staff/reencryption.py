"""Re-encryption of texts that have an older key of DATA_KEYS or are not bound to their place.

The command may run at any time and more than once, because a ciphertext is replaced only if it has
not changed since it was read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.db import models, transaction

from lendingadmin.core.encryption import Ciphertext, DecryptionError, EncryptedTextField, reencrypt

from .adapter import FOR_SECOND_FACTOR

ROWS_AT_ONCE = 500


@dataclass
class TableCount:
    """Counts of a table: all encrypted texts, and the texts that must be encrypted again.

    `closed` are the primary keys of rows with a text that cannot be decrypted.
    """

    table: str
    texts: int = 0
    outdated: int = 0
    closed: list[Any] = field(default_factory=list)

    def renew(self, row: models.Model, ciphertext: str, *place: str) -> str:
        """Count a text and return the new ciphertext for this place.

        Return the same ciphertext if no change is needed. If the text cannot be decrypted, add the
        row to `closed` and return the same ciphertext.
        """
        self.texts += 1
        try:
            renewed = reencrypt(ciphertext, *place)
        except DecryptionError:
            if row.pk not in self.closed[-1:]:
                self.closed.append(row.pk)
            return ciphertext
        self.outdated += renewed != ciphertext
        return renewed


def reencrypt_all(*, is_dry: bool = False) -> Iterator[TableCount]:
    """Encrypt the texts of each table again; yield the counts. With `is_dry`, change nothing."""
    for model in apps.get_models():
        fields = [one for one in model._meta.concrete_fields if isinstance(one, EncryptedTextField)]
        if fields and not model._meta.proxy:
            yield _reencrypt_table(model, fields, is_dry)
    yield _reencrypt_second_factors(is_dry)


def _reencrypt_table(
    model: type[models.Model], fields: list[EncryptedTextField], is_dry: bool
) -> TableCount:
    count, rows = TableCount(model._meta.db_table), model._base_manager.all()
    for row in _list_rows(rows):
        for one in fields:
            # The stored value of the column, because the attribute returns the decrypted text.
            before = row.__dict__[one.attname]
            after = count.renew(row, before, *one.list_place(row)) if before else before
            if after == before or is_dry:
                continue
            same = rows.filter(pk=row.pk, **{one.attname: before})
            if not same.update(**{one.attname: Ciphertext(after)}):
                # Another process changed the text after it was read.
                count.outdated -= 1
    return count


def _reencrypt_second_factors(is_dry: bool) -> TableCount:
    """Encrypt again the secrets in the rows of allauth; return the counts.

    Our adapter has encrypted these secrets (`adapter.EncryptedMFAAdapter`).
    """
    count = TableCount(Authenticator._meta.db_table)
    for pk in Authenticator.objects.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            row = Authenticator.objects.select_for_update().filter(pk=pk).first()
            if row is None:
                continue

            def renew(secret: str, row: Any = row) -> str:
                return count.renew(row, secret, FOR_SECOND_FACTOR)

            data = row.data | _renew_secrets(row.data, renew)
            if data != row.data and not is_dry:
                row.data = data
                row.save(update_fields=["data"])
    return count


def _renew_secrets(data: dict[str, Any], renew: Callable[[str], str]) -> dict[str, Any]:
    """Return the secrets in the data of an authenticator, encrypted again."""
    found: dict[str, Any] = {name: renew(data[name]) for name in ("secret", "seed") if name in data}
    if codes := data.get("migrated_codes"):
        found["migrated_codes"] = [renew(code) for code in codes]
    return found


def _list_rows(rows: models.QuerySet[Any]) -> Iterator[Any]:
    """Yield all rows by primary key, one slice at a time.

    So no query takes a long time, and nothing is locked.
    """
    last = None
    while found := list(
        (rows if last is None else rows.filter(pk__gt=last)).order_by("pk")[:ROWS_AT_ONCE]
    ):
        yield from found
        last = found[-1].pk
