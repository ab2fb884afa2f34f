"""Counters of tries, such as wrong passwords. If many tries happen at the same time, each counts.

The counters are in Redis if CACHE_URL names a Redis server. Otherwise, and while Redis does not
answer, they are in the database. In both places one step compares a try with its limits and counts
the try.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import uuid4

from django.db import connection, transaction
from django.db.models import QuerySet

from . import shared
from .backends import open_signed, sign
from .models import Kept

# KEYS are the counters. ARGV are the time, the name of the try (empty for a look), and for each
# counter its `most` and its `seconds`. The script returns 1 if the try is allowed, else 0.
_TAKE = """
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', ARGV[1] - ARGV[2 * i + 2])
  if redis.call('ZCARD', key) >= tonumber(ARGV[2 * i + 1]) then return 0 end
end
if ARGV[2] ~= '' then
  for i, key in ipairs(KEYS) do
    redis.call('ZADD', key, ARGV[1], ARGV[2])
    redis.call('PEXPIRE', key, math.ceil(ARGV[2 * i + 2] * 1000))
  end
end
return 1
"""
_GIVE_BACK = "for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end return 1"


class Limit(NamedTuple):
    """A limit: at most `most` tries under this name within `seconds`."""

    name: str
    most: int
    seconds: float


class Try(NamedTuple):
    """A try that is allowed.

    It was counted at the Unix time `at`, or only compared with the limits.
    """

    name: str
    at: float
    counters: tuple[str, ...]
    is_in_redis: bool = False

    def rollback(self) -> None:
        """Remove this try from the counters, because the password was right."""
        if self.is_in_redis:
            _ask_redis(_GIVE_BACK, self.counters, self.name)
        elif self.counters:
            with transaction.atomic():
                rows = list(_select_to_change(self.counters))
                for row in rows:
                    row.value = sign(row.key, [at for at in _read(row) if at != self.at])
                _save(rows)


def take(limits: Iterable[Limit], at: float, *, is_look: bool = False) -> Try | None:
    """Count a try at the Unix time `at` and return it; None if one of the limits is reached.

    With `is_look` the try is not counted. Raise DatabaseError if the try can't be counted.
    """
    limits = list(limits)
    names = tuple(one.name for one in limits)
    found = Try(f"{at}:{uuid4().hex}", at, () if is_look else names)
    numbers = [number for one in limits for number in (one.most, one.seconds)]
    allowed = _ask_redis(_TAKE, names, at, "" if is_look else found.name, *numbers)
    if allowed is not None:
        return found._replace(is_in_redis=bool(found.counters)) if allowed else None
    if is_look:
        rows = {row.key: row for row in Kept.objects.filter(key__in=names)}
        return found if _have_place(rows, limits, at) else None
    with transaction.atomic():
        rows = _lock(limits, at)
        if not _have_place(rows, limits, at):
            return None
        _save([_make_row(x, at, (*_list_recent(rows[x.name], x, at), at)) for x in limits])
    return found


def forget(names: Iterable[str]) -> None:
    """Reset these counters to zero."""
    names = tuple(names)
    for name in names:
        shared.delete(name)
    Kept.objects.filter(key__in=names).delete()


def _ask_redis(script: str, names: tuple[str, ...], *arguments: str | float) -> int | None:
    """Run the script in Redis; return None if there is no Redis or no answer."""
    run = getattr(shared, "run", None)
    return run(script, names, *arguments) if run else None


def _lock(limits: list[Limit], at: float) -> dict[str, Kept]:
    """Lock the rows of the counters until the transaction ends; create the missing rows."""
    rows = _select_to_change([one.name for one in limits])
    found = {row.key: row for row in rows}
    missing = [_make_row(one, at) for one in limits if one.name not in found]
    if missing and connection.features.has_select_for_update:
        # If several transactions create the same row, the first creates it and the others wait.
        Kept.objects.bulk_create(missing, ignore_conflicts=True)
        missing = list(rows.all())
    return found | {row.key: row for row in missing}


def _select_to_change(names: Iterable[str]) -> QuerySet[Kept]:
    """Select the rows to lock, always in the same order.

    The order prevents that two transactions wait for rows of each other.
    """
    return Kept.objects.select_for_update().filter(key__in=names).order_by("key")


def _have_place(rows: dict[str, Kept], limits: list[Limit], at: float) -> bool:
    return all(len(_list_recent(rows.get(one.name), one, at)) < one.most for one in limits)


def _list_recent(row: Kept | None, limit: Limit, at: float) -> list[float]:
    return [one for one in _read(row) if one > at - limit.seconds] if row else []


def _read(row: Kept) -> list[float]:
    tries: list[float] = open_signed(row.key, row.value, [])
    return tries


def _make_row(limit: Limit, at: float, tries: tuple[float, ...] = ()) -> Kept:
    until = datetime.fromtimestamp(at + limit.seconds, UTC)
    return Kept(key=limit.name, value=sign(limit.name, tries), expires_at=until)


def _save(rows: list[Kept]) -> None:
    Kept.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["value", "expires_at"],
    )
