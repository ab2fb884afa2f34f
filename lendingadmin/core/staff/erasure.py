"""Erasure and export of the stored data of a borrower, on request or by age.

Each area names its data: data that can be erased, and data that must stay. All of the data can be
exported as a file. The worker erases data that is older than the rule of retention allows.

Data of open work cannot be erased, such as a write with an unknown outcome, or an offer from which
a loan can still be made. Run the command again after this work is finished.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models, transaction
from django.utils import timezone

from lendingadmin.core.areas import collect

from .policies import TEXTS, read_days

OfBorrower = Callable[[str, str], int]
Older = Callable[[datetime, int], int]
ListRows = Callable[[str, str], Iterable["models.QuerySet[Any]"]]

# Rows of a table that the worker erases in one step. They are few, so that other requests do not
# wait long.
ROWS_AT_ONCE = 500
# Most rows of each kind that a dry run counts.
COUNTED = 5_000


class Erasable(NamedTuple):
    """Data that may be erased. `what` is the name of the data in words.

    `erase` takes an app and a borrower, and returns the number of erased rows. `erase_older` takes
    a time and a number of rows, and erases at most this number of older rows, of all borrowers.
    `kind` is the key of this data in the rule of retention. `list_rows` returns the rows for the
    export.
    """

    what: str
    erase: OfBorrower
    kind: str = ""
    erase_older: Older | None = None
    list_rows: ListRows | None = None

    def count_days(self) -> int:
        """Return the age in days at which this data is erased; 0 means never."""
        return read_days(TEXTS, self.kind)

    def erase_old(self, most: int) -> int:
        """Erase at most `most` rows that are too old; return the number of erased rows."""
        days = self.count_days()
        if not (days and self.erase_older):
            return 0
        return self.erase_older(timezone.now() - timedelta(days=days), most)


class KeptOn(NamedTuple):
    """Data that is not erased: its name, the reason or end date, and its number of rows."""

    what: str
    why: str
    count_rows: OfBorrower
    list_rows: ListRows | None = None


class Erased(NamedTuple):
    """Numbers of erased rows, and of remaining rows, by kind of data."""

    gone: list[tuple[str, int]]
    kept: list[tuple[KeptOn, int]]


def erase_borrower(app_id: str, borrower_id: str, *, is_dry_run: bool = False) -> Erased:
    """Erase the data of a borrower that may be erased.

    Return the numbers of erased and of remaining rows. A dry run erases the rows and then rolls
    back, so its numbers are exact.
    """
    if not is_dry_run:
        return _erase(app_id, borrower_id)
    with transaction.atomic():
        erased = _erase(app_id, borrower_id)
        transaction.set_rollback(True)
    return erased


def _erase(app_id: str, borrower_id: str) -> Erased:
    gone = [(one.what, int(one.erase(app_id, borrower_id))) for one in collect("erasable")]
    return Erased(gone, [(one, one.count_rows(app_id, borrower_id)) for one in collect("kept")])


def list_ageing() -> list[Erasable]:
    """Return the data that the worker erases by age."""
    return [one for one in collect("erasable") if one.erase_older and one.count_days()]


def erase_old() -> bool:
    """Erase one batch of rows that are too old, of each kind.

    Return True if no older rows are left.
    """
    return max((one.erase_old(ROWS_AT_ONCE) for one in list_ageing()), default=0) < ROWS_AT_ONCE


def count_old() -> list[tuple[Erasable, int]]:
    """Return the number of rows of each kind that `erase_old` would erase, up to COUNTED.

    This is a dry run: its transaction is rolled back.
    """
    counted = []
    for one in list_ageing():
        with transaction.atomic():
            counted.append((one, one.erase_old(COUNTED)))
            transaction.set_rollback(True)
    return counted


def write_kept(app_id: str, borrower_id: str) -> Iterator[str]:
    """Yield the parts of a JSON object with all stored data of a borrower, decrypted.

    The object has the rows of each table, under the table's name in Django, such as
    `repayments.Repayment`. A row has its columns; the value for a person is the user name. Text
    that can't be decrypted is marked.
    """
    head = {
        "app": app_id,
        "borrower": borrower_id,
        "exported_at": timezone.now(),
        "kept_on": {one.what: one.why for one in collect("kept")},
    }
    yield f'{_dump(head)[:-1]}, "tables": {{'
    names: dict[int, str] = {}
    for number, (label, rows) in enumerate(_list_tables(app_id, borrower_id).items()):
        yield f"{', ' if number else ''}{_dump(label)}: ["
        is_first = True
        for row in (one for some in rows for one in some.iterator(chunk_size=500)):
            yield ("" if is_first else ",\n") + _dump(_open_row(row, names))
            is_first = False
        yield "]"
    yield "}}\n"


def _list_tables(app_id: str, borrower_id: str) -> dict[str, list["models.QuerySet[Any]"]]:
    """Return the rows of each table.

    A row that belongs to several kinds is listed only once.
    """
    found: dict[str, list[models.QuerySet[Any]]] = {}
    listed = [
        *(one.list_rows for one in collect("erasable")),
        *(one.list_rows for one in collect("kept")),
    ]
    for list_rows in dict.fromkeys(listed):
        for rows in list_rows(app_id, borrower_id) if list_rows else ():
            found.setdefault(rows.model._meta.label, []).append(rows.order_by("pk"))
    return found


def _open_row(row: models.Model, names: dict[int, str]) -> dict[str, Any]:
    """Return the columns of a row, with decrypted texts and the user names of people."""
    opened = {}
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if field.related_model is _get_person_model() and value is not None:
            value = _get_username(value, names)
        opened[field.name] = value
    return opened


def _get_person_model() -> Any:
    # Django loads this package before its models may be imported.
    from .models import User

    return User


def _get_username(key: int, names: dict[int, str]) -> str:
    if key not in names:
        names[key] = _get_person_model().objects.values_list("username", flat=True).get(pk=key)
    return names[key]


def _dump(value: object) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
