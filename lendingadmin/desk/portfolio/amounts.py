"""Amounts in the database to the last digit, and added to the last digit.

SQLite keeps a decimal column as a float, and how many decimals the service sends is not shown in
the spec; so amounts are kept as text. SQLite must not add them; PostgreSQL may, as numbers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Context, Decimal, localcontext
from typing import TYPE_CHECKING, Any

from django.db import models

# Amounts of forty digits that differ by forty places, a billion of them, still add exactly.
_EXACT = Context(prec=150)

if TYPE_CHECKING:
    _Text = models.CharField[Decimal | None, Decimal | None]
else:
    # Django's own class takes no type arguments; only its type stubs do.
    _Text = models.CharField


class AmountField(_Text):
    """A Decimal as text. Filtering by it makes no sense but for null."""

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
    """Within this block, adding and subtracting loses no digit."""
    with localcontext(_EXACT):
        yield
