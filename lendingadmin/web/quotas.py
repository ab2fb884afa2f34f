"""Limits on the number of uses that a person has within an hour or a day.

A view declares its quota with its access (`@access(…, quota=READS)`). Each person has a separate
quota in each app. The counters are in Django's `default` cache, which never removes an entry to
make room. The windows are full hours and days in UTC.
"""

import logging
import time
from collections.abc import Collection
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from django import forms
from django.core.cache import cache
from django.db import Error
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.kinds import PolicyForm, PolicyKind, describe_fields
from lendingadmin.core.policies.services import read_recent, read_values
from lendingadmin.core.staff.models import User
from lendingadmin.core.waiting import atomic_waiting
from lendingadmin.lending.errors import Throttled
from lendingadmin.web.display.durations import elapsed

logger = logging.getLogger(__name__)

HOUR, DAY = 3600, 24 * 3600
# The longest wait of a page for its counter, in milliseconds.
WAIT_MS = 1_000
READS, REVEALS, SEARCHES = "reads", "reveals", "searches"
EXPORTS, PROFILE, STATEMENTS = "exports", "profile", "statements"
NOTES, SHEETS = "notes", "sheets"


class Limit(NamedTuple):
    """At most `most` uses within `seconds`; `words` name the action.

    If `most` is None, a setting of the app gives the limit. Only requests with one of `methods`
    count. With `once_by`, each value of this argument of the route counts once.
    """

    most: int | None
    seconds: int
    words: object
    methods: Collection[str] = ("GET", "POST")
    once_by: str = ""


# A clerk with a caller every two minutes opens thirty borrowers in an hour and searches about six
# hundred times, because suggestions during typing count as searches.
LIMITS = {
    READS: Limit(
        300, HOUR, gettext_lazy("You opened %(most)s borrowers within one hour."),
        once_by="borrower_id",
    ),
    REVEALS: Limit(
        120, HOUR, gettext_lazy("You opened masked content %(most)s times within one hour."),
        methods=("POST",),
    ),
    SEARCHES: Limit(2_000, HOUR, gettext_lazy("You searched %(most)s times within one hour.")),
    EXPORTS: Limit(
        None, DAY,
        gettext_lazy("You exported %(most)s times within one day. Managers set this limit."),
    ),
    STATEMENTS: Limit(
        100, DAY, gettext_lazy("You uploaded %(most)s statements within one day."),
        methods=("POST",),
    ),
    NOTES: Limit(
        300, HOUR, gettext_lazy("You wrote or changed %(most)s notes within one hour."),
        methods=("POST",),
    ),
    SHEETS: Limit(
        100, DAY, gettext_lazy("You printed %(most)s collection sheets within one day."),
        methods=("POST",),
    ),
    PROFILE: Limit(
        20, HOUR, gettext_lazy("You saved your profile %(most)s times within one hour."),
        methods=("POST",),
    ),
}  # fmt: skip


class OverQuota(Throttled):
    """Error: a person has used up a quota. `retry_after` is the number of seconds to the next use.

    Nothing was sent, saved or shown.
    """

    def __init__(self, words: str, retry_after: int) -> None:
        again = _("You can continue in %(time)s.") % {"time": elapsed(retry_after)}
        super().__init__(f"{words} {again}")
        self.retry_after = retry_after


class QuotasForm(PolicyForm):
    """Form of the limits for exports and opened borrowers of one person."""

    exports = forms.IntegerField(
        label=gettext_lazy("Exports by one person in a day (UTC)"),
        min_value=1,
        max_value=100_000_000,
    )
    opened = forms.IntegerField(
        label=gettext_lazy("Borrowers opened by one person in an hour: e-mail to managers above"),
        min_value=0,
        max_value=300,
        help_text=gettext_lazy(
            "Enter 0 for no e-mail. One person can open at most 300 borrowers in an hour."
        ),
    )


def _describe_now(app: LendingApp) -> str:
    people = list(User.objects.filter(is_active=True))
    for person in people:
        person.app_id = app.app_id
    keys = [_find_window(person, EXPORTS)[0] for person in people]
    most = max(map(int, cache.get_many(keys).values()), default=0)
    if not most:
        return _("There are no exports today.")
    words = _("The largest number of exports by one person today is %(count)s.")
    return words % {"count": most}


QUOTAS = PolicyKind(
    "quotas",
    gettext_lazy("Exports and opened borrowers"),
    gettext_lazy("These limits make it harder to copy the data of borrowers."),
    QuotasForm,
    {"exports": 50, "opened": 100},
    partial(describe_fields, QuotasForm),
    _describe_now,
    lowers=lambda before, after: (
        after["exports"] > before["exports"]
        or 0 < before["opened"] < after["opened"]
        or bool(before["opened"] and not after["opened"])
    ),
)


def read_most_exports(app_id: str) -> int:
    """Return the number of exports that one person may make in a day."""
    return int(read_values(QUOTAS, app_id)["exports"])


def read_most_opened(app_id: str) -> int:
    """Return the number of opened borrowers in an hour that raises an alarm; 0 means no alarm."""
    return int(read_recent(QUOTAS, app_id)["opened"])


def take(person: User, name: str, of: str = "") -> None:
    """Count one more use in the app of this page. Raise OverQuota if the limit is reached.

    If `of` is given, uses with the same value count once. If the database can't save the count, the
    use is allowed, and the log has a warning.
    """
    limit, (key, left) = LIMITS[name], _find_window(person, name)
    once = build_key(key, person, of) if of else ""
    if once and cache.get(once):
        return
    try:
        # The transaction saves nothing for a refused use, so that the next use is refused too.
        with atomic_waiting(WAIT_MS):
            if once and not cache.add(once, True, left):
                return
            most = read_most_exports(person.app_id) if limit.most is None else limit.most
            if _add_one(key, left) > most:
                raise OverQuota(str(limit.words) % {"most": f"{most:,}"}, left)
    except Error as error:
        logger.warning("%s could not be counted: %s", name, type(error).__name__)


def count(person: User, name: str) -> int:
    """Return the number of uses of the quota by this person in the current window."""
    return int(cache.get(_find_window(person, name)[0], 0))


def build_key(name: str, person: User, of: str = "") -> str:
    """Return the key for a saved value of a person in the app of this page.

    `of` names the subject, such as a borrower. It is hashed, because it may be any text.
    """
    digest = sha256(of.encode()).hexdigest()[:32] if of else ""
    return f"{name}:{person.pk}:{person.app_id}:{digest}"


def _find_window(person: User, name: str) -> tuple[str, int]:
    """Return the key of the counter, and the seconds until its window ends."""
    number, gone = divmod(int(time.time()), LIMITS[name].seconds)
    return build_key(f"{name}:{number}", person), LIMITS[name].seconds - gone


def _add_one(key: str, left: int) -> int:
    try:
        return cache.incr(key)
    except ValueError:
        # If several requests come at the same time, only one of them creates the counter.
        cache.add(key, 0, left)
    try:
        return cache.incr(key)
    except ValueError:
        return 0
