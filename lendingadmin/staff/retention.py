"""Each table that holds something: since when its rows are there, how long they stay, what then.

Areas register all of theirs, and a page shows them. What goes by itself says here when: the worker
deletes within an hour what is over. What goes by its age, in small batches of the worker, has a
kind of its own in KEEP_ROWS_DAYS. What is not over, and what shows that a payment is the same one,
is in no kind: rows of the journal and of statements stay.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.apps import apps
from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_noop as _
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

ListOlder = Callable[[datetime], "models.QuerySet[Any]"]
DeleteOlder = Callable[[datetime, int], int]
FindOver = Callable[[], models.Q]

# Rows of a table that the worker deletes at once.
_AT_ONCE = 500
# A task that was done is of no use after it.
_DONE_FOR = timedelta(days=1)
# How many rows the page counts; of more, it says about how many there are.
_EXACT = 1_000


class Table(NamedTuple):
    """What is kept: `what` in words, in the models of `labels`, whose first is counted.

    `stays` says how long its rows stay where no number of days is set, and why. `moment` is the
    column that says since when a row is there, `order` the one by which the oldest is the first,
    both empty where nobody needs it. `texts` is its word in KEEP_TEXTS_DAYS, where it has texts.

    `kind` is its word in KEEP_ROWS_DAYS: what is older than its days, and is in `list_older`, goes,
    by `delete_older` if there is one; `needs` names a setting without which none does, and
    `then` says what becomes of them. `by` names another setting that says how long. `find_over`
    says which rows are over and go within an hour, whatever KEEP_ROWS_DAYS says.
    """

    what: str
    labels: tuple[str, ...]
    stays: str
    moment: str = ""
    order: str = "pk"
    texts: str = ""
    kind: str = ""
    list_older: ListOlder | None = None
    delete_older: DeleteOlder | None = None
    needs: str = ""
    then: str = _("then they go, once they are over")
    by: str = ""
    find_over: FindOver | None = None

    @property
    def rows(self) -> "models.QuerySet[Any]":
        """The rows of the first model."""
        rows: models.QuerySet[Any] = apps.get_model(self.labels[0])._default_manager.order_by()
        return rows

    def count_days(self) -> int:
        """After so many days a row goes by its age, once it is over; 0: never."""
        if not self.kind or (self.needs and not getattr(settings, self.needs)):
            return 0
        by_kind = settings.KEEP_ROWS_DAYS
        return int(by_kind.get(self.kind, by_kind[""]))

    def count_text_days(self) -> int:
        """After so many days its texts are erased; 0: never."""
        by_kind = settings.KEEP_TEXTS_DAYS
        return int(by_kind.get(self.texts, by_kind[""]))

    def delete_old(self, most: int) -> int:
        """Delete at most so many rows that are past their days; how many those were."""
        before = self._find_before()
        if self.delete_older:
            return self.delete_older(before, most)
        keys = list(self._list_older(before).values_list("pk", flat=True)[:most])
        self.rows.filter(pk__in=keys).delete()
        return len(keys)

    def count_old(self) -> int:
        """How many rows are past their days."""
        return self._list_older(self._find_before()).count()

    def list_over(self) -> "models.QuerySet[Any]":
        """The rows that are over by themselves."""
        return self.rows.filter(self.find_over()) if self.find_over else self.rows.none()

    def _find_before(self) -> datetime:
        return timezone.now() - timedelta(days=self.count_days())

    def _list_older(self, before: datetime) -> "models.QuerySet[Any]":
        return self.list_older(before) if self.list_older else self.rows.none()


class Described(NamedTuple):
    """A table as the page shows it: about `row_count` rows, exactly so many unless `is_about`, the
    oldest there since `since`, None for none or where nothing says it.

    `days` and `text_days` are 0 where rows and texts stay for ever.
    """

    table: Table
    row_count: int
    is_about: bool
    since: datetime | None
    days: int
    text_days: int

    @property
    def settings(self) -> list[str]:
        """The settings that say how long, with its word in them."""
        table = self.table
        found = [" ".join(("KEEP_ROWS_DAYS", table.kind))] if table.kind else []
        found += [" ".join(("KEEP_TEXTS_DAYS", table.texts))] if table.texts else []
        return [*found, *filter(None, [table.needs, table.by])]


TABLES: list[Table] = []


def register_table(what: str, *labels: str, stays: str, **more: Any) -> None:
    """Say how long this is kept; what the words mean, Table says."""
    TABLES.append(Table(what, labels, stays, **more))


def register_own() -> None:
    """People, and what the parts below this one and Django's own keep."""
    register_table(
        _("people, their roles and second factors"),
        *("staff.User", "staff.AppRole", "mfa.Authenticator", "socialaccount.SocialAccount"),
        stays=_("always: an account is deactivated, and the trail and the journal name it"),
        moment="date_joined",
    )
    register_table(
        _("changes of people that waited for a second manager"),
        "staff.PersonChange",
        stays=_("always: who let a change happen"),
        moment="asked_at",
    )
    register_table(
        _("sessions"),
        "sessions.Session",
        stays=_("until they end, an hour longer at most"),
        by="SESSION_HOURS",
        find_over=lambda: models.Q(expire_date__lte=timezone.now()),
    )
    register_table(
        _("tasks of the worker"),
        "django_tasks_database.DBTaskResult",
        stays=_("a day; where one failed, always"),
        moment="enqueued_at",
        order="enqueued_at",
        kind="tasks",
        list_older=_list_failed,
        then=_("then those that failed go, others after a day"),
        find_over=_find_done,
    )
    register_table(
        _("counters, and answers that several ask for at once"),
        "caching.Kept",
        stays=_("until they expire, an hour longer at most"),
        find_over=lambda: models.Q(expires_at__lte=timezone.now()),
    )
    register_table(
        _("the service's token, the worker's beat and what shows whether keys fit"),
        *("gateway.ServiceToken", "worker.Heartbeat", "monitoring.Canary"),
        stays=_("written over"),
    )


def _list_failed(before: datetime) -> "models.QuerySet[Any]":
    return DBTaskResult.objects.failed().filter(finished_at__lt=before)


def _find_done() -> models.Q:
    before = timezone.now() - _DONE_FOR
    return models.Q(status=TaskResultStatus.SUCCESSFUL, finished_at__lt=before)


def list_passing() -> list[Table]:
    """What the worker deletes within an hour once it is over."""
    return [one for one in TABLES if one.find_over]


def delete_over() -> None:
    """Delete what is over."""
    for one in list_passing():
        one.list_over().delete()


def count_over() -> list[tuple[Table, int]]:
    """How many rows of each table `delete_over` would delete."""
    return [(one, one.list_over().count()) for one in list_passing()]


def list_ageing() -> list[Table]:
    """What the worker deletes by its age, by KEEP_ROWS_DAYS."""
    return [one for one in TABLES if one.count_days()]


def delete_old() -> bool:
    """Delete a batch of each kind that is older than KEEP_ROWS_DAYS says; whether that was all."""
    return max((one.delete_old(_AT_ONCE) for one in list_ageing()), default=0) < _AT_ONCE


def count_old() -> list[tuple[Table, int]]:
    """How many rows of each kind `delete_old` would delete in all."""
    return [(one, one.count_old()) for one in list_ageing()]


def describe(table: Table) -> Described:
    """What a table holds and since when, by its indexes alone: a page asks it of all."""
    rows = table.rows
    count = rows.order_by("pk")[: _EXACT + 1].count()
    is_about = count > _EXACT
    if is_about and isinstance(rows.model._meta.pk, models.AutoField):
        # Between them some may be missing.
        first, last = (rows.order_by(by).values_list("pk", flat=True)[0] for by in ("pk", "-pk"))
        count = last - first + 1
    since = None
    if table.moment:
        since = rows.order_by(table.order).values_list(table.moment, flat=True).first()
    return Described(table, count, is_about, since, table.count_days(), table.count_text_days())
