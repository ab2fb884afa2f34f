"""The field of a table for a person: the author of an action, or the person it is for."""

from typing import Any, TypeVar

from django.conf import settings
from django.db import models

_Set = TypeVar("_Set")
_Get = TypeVar("_Get")


class PersonField(models.ForeignKey[_Set, _Get]):
    """A key to a person. A person with such rows is not deleted, so that their actions stay known.

    A person has no attribute that leads back, unless `related_name` names one. Migrations hold a
    plain ForeignKey.
    """

    def __init__(self, to: Any = settings.AUTH_USER_MODEL, **options: Any) -> None:
        options.setdefault("on_delete", models.PROTECT)
        options.setdefault("related_name", "+")
        super().__init__(to, **options)

    def deconstruct(self) -> Any:
        """Return it as a ForeignKey."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, options
