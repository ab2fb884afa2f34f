"""Model field for a person, such as the author of an action or an assignee."""

from typing import Any, TypeVar

from django.conf import settings
from django.db import models

_Set = TypeVar("_Set")
_Get = TypeVar("_Get")


class PersonField(models.ForeignKey[_Set, _Get]):
    """Foreign key to a person.

    A person with such rows can't be deleted, so the author remains known.
    """

    def __init__(self, to: Any = settings.AUTH_USER_MODEL, **options: Any) -> None:
        options.setdefault("on_delete", models.PROTECT)
        options.setdefault("related_name", "+")
        super().__init__(to, **options)

    def deconstruct(self) -> Any:
        """Return the field for migrations as a plain ForeignKey."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, options
