"""Change one of our rows and record the change in the trail, in one transaction."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db import models, transaction

from lendingadmin.core.encryption import bind
from lendingadmin.core.staff.models import User

from .trail import record_about

Row = TypeVar("Row", bound=models.Model)


def transition(
    row: Row,
    starts: "models.QuerySet[Row]",
    changes: Mapping[str, Any],
    *,
    by: User | None,
    action: str,
    outcome: str,
    detail: str = "",
) -> bool:
    """Change a row if the stored row is still in `starts`, and record the change in the trail.

    Return True if the row was changed. One query checks and changes the row (compare-and-swap). The
    object `row` in memory does not change.
    """
    with transaction.atomic():
        is_changed = bool(starts.filter(pk=row.pk).update(**bind(row, **changes)))
        if is_changed:
            record_about(row, by, action, outcome, detail=detail)
    return is_changed
