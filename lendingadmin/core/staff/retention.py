"""Tables whose rows are deleted: finished rows within an hour, old rows by the rule of retention.

Areas name their own tables. SECURITY.md lists all tables and how long their rows are stored.
Unfinished rows are not deleted. Rows of the write journal and of statements are never deleted,
because they are needed to recognise a payment that is entered again.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.apps import apps
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_noop as _
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.areas import collect

from .policies import ROWS, read_days

ListOlder = Callable[[datetime], "models.QuerySet[Any]"]
DeleteOlder = Callable[[datetime, int], int]
FindOver = Callable[[], models.Q]

# Rows of a table that the worker deletes in one step.
ROWS_AT_ONCE = 500
# Time after which a successful task is deleted.
_DONE_FOR = timedelta(days=1)


class Table(NamedTuple):
    """A table whose rows are deleted. `what` is the name of the rows in words, `label` the model.

    `kind` is the key of the table in the rule of retention, which sets a number of days.
    `list_older` returns the rows that are older. `delete_older`, if it is given, deletes such rows
    in its own way. `then` describes the deletion. `find_over` returns the condition for rows of any
    age that are deleted within an hour.
    """

    what: str
    label: str
    kind: str = ""
    list_older: ListOlder | None = None
    delete_older: DeleteOlder | None = None
    then: str = _("finished rows are deleted after that time")
    find_over: FindOver | None = None

    @property
    def rows(self) -> "models.QuerySet[Any]":
        rows: models.QuerySet[Any] = apps.get_model(self.label)._default_manager.order_by()
        return rows

    def count_days(self) -> int:
        """Return the age in days at which a finished row is deleted; 0 means never."""
        if not self.kind:
            return 0
        return read_days(ROWS, self.kind)

    def delete_old(self, most: int) -> int:
        """Delete at most `most` rows that are too old; return the number of deleted rows."""
        before = self._find_before()
        if self.delete_older:
            return self.delete_older(before, most)
        keys = list(self._list_older(before).values_list("pk", flat=True)[:most])
        self.rows.filter(pk__in=keys).delete()
        return len(keys)

    def count_old(self) -> int:
        """Return the number of rows that are too old."""
        return self._list_older(self._find_before()).count()

    def list_over(self) -> "models.QuerySet[Any]":
        """Return the finished rows of any age that are deleted within an hour."""
        return self.rows.filter(self.find_over()) if self.find_over else self.rows.none()

    def _find_before(self) -> datetime:
        return timezone.now() - timedelta(days=self.count_days())

    def _list_older(self, before: datetime) -> "models.QuerySet[Any]":
        return self.list_older(before) if self.list_older else self.rows.none()


def list_passing() -> list[Table]:
    """Return the tables whose finished rows the worker deletes within an hour."""
    return [one for one in collect("tables") if one.find_over]


def delete_over() -> None:
    """Delete the finished rows of all tables in `list_passing`."""
    for one in list_passing():
        one.list_over().delete()


def count_over() -> list[tuple[Table, int]]:
    """Return the number of rows of each table that `delete_over` would delete."""
    return [(one, one.list_over().count()) for one in list_passing()]


def list_ageing() -> list[Table]:
    """Return the tables whose rows the worker deletes by age."""
    return [one for one in collect("tables") if one.count_days()]


def delete_old() -> bool:
    """Delete one batch of rows that are too old, of each table.

    Return True if no older rows are left.
    """
    return max((one.delete_old(ROWS_AT_ONCE) for one in list_ageing()), default=0) < ROWS_AT_ONCE


def count_old() -> list[tuple[Table, int]]:
    """Return the number of rows of each table that are too old."""
    return [(one, one.count_old()) for one in list_ageing()]


# Tables of Django, of django-tasks and of the caches. They belong to no area.
TABLES = [
    Table(
        _("sessions"),
        "sessions.Session",
        find_over=lambda: models.Q(expire_date__lte=timezone.now()),
    ),
    Table(
        _("worker tasks"),
        "django_tasks_database.DBTaskResult",
        kind="tasks",
        list_older=lambda before: DBTaskResult.objects.failed().filter(finished_at__lt=before),
        then=_("failed tasks are deleted after that time, other tasks after a day"),
        find_over=lambda: models.Q(
            status=TaskResultStatus.SUCCESSFUL, finished_at__lt=timezone.now() - _DONE_FOR
        ),
    ),
    Table(
        _("temporary data"),
        "caching.Kept",
        find_over=lambda: models.Q(expires_at__lte=timezone.now()),
    ),
]
