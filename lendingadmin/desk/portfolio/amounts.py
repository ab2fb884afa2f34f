"""Store amounts in the database and add them without the loss of a digit."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Context, Decimal, localcontext
from typing import TYPE_CHECKING, Any

from django.db import models

# With these digits, a billion amounts are added exactly, even if they differ by forty places.
_EXACT = Context(prec=150)

if TYPE_CHECKING:
    _Text = models.CharField[Decimal | None, Decimal | None]
else:
    # Only the type stubs of Django's class take type arguments, not the class itself.
    _Text = models.CharField


class AmountField(_Text):
    """A Decimal that is stored as text. Do not filter by this field, except for null."""

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
    """Context manager: inside the block, sums and differences lose no digit."""
    with localcontext(_EXACT):
        yield
