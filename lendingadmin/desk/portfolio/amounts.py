"""Exact amounts: they are stored in the database and added without losing a digit."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Context, Decimal, localcontext
from typing import TYPE_CHECKING, Any

from django.db import models

# A billion amounts of forty digits that differ by forty places still add exactly.
_EXACT = Context(prec=150)

if TYPE_CHECKING:
    _Text = models.CharField[Decimal | None, Decimal | None]
else:
    # Django's own class takes no type arguments; only its type stubs do.
    _Text = models.CharField


class AmountField(_Text):
    """A Decimal stored as text. Do not filter by it, except for null."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"max_length": 100, "null": True, "blank": True} | kwargs)

    def from_db_value(self, value: str | None, *args: object) -> Decimal | None:
        return None if value is None else Decimal(value)

    def to_python(self, value: object) -> Decimal | None:
        return None if value is None else Decimal(str(value))

    def get_prep_value(self, value: Decimal | None) -> str | None:
        return None if value is None else f"{value:f}"


@contextmanager
def exactly() -> Iterator[None]:
    """Add and subtract without losing a digit inside this block."""
    with localcontext(_EXACT):
        yield
