"""Check whether an event whose report has an unknown outcome reached the service.

An event is unique by accountId, eventType and timestamp (Spec: Events), so the check searches by
these values. For the check, the dashboard does not save the content of the event, but only the
number of values of each kind.
"""

from collections import Counter
from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import (
    CheckResult,
    OutcomeChecker,
    Submitted,
)
from lendingadmin.money.writes.states import WriteFound

from .search import build_url, search_event

#: The sentence after a finding if the service's list was not read to its end.
ONLY_A_PART = gettext_noop(" Only part of the service's list was read.")
_KEY = ("accountId", "eventType", "timestamp")


def summarize(body: Mapping[str, object]) -> dict[str, object]:
    """Return the data for a later comparison: the key of the event, and the counts by kind."""
    return {name: str(body.get(name, "")) for name in _KEY} | {
        "values": _count_values(body.get("data"))
    }


def _count_values(data: object) -> dict[str, int]:
    found: Counter[str] = Counter()
    for one in data if isinstance(data, list | tuple) else ():
        values = one.get("values") if isinstance(one, Mapping) else None
        if isinstance(one, Mapping) and isinstance(values, list | tuple):
            found[str(one.get("kind"))] += len(values)
    return dict(found)


def check_reported(write: Write, submitted: Submitted) -> CheckResult:
    """Check whether the service lists an event with the same key and the same number of values.

    The key is the account, the type and the time. Values are counted for each kind. Raise
    LendingError if the events can't be read.
    """
    key = [str(submitted.sent[name]) for name in _KEY]
    result = search_event(write.app_id, *key)
    there = result.found
    if there is None:
        part = "" if result.whole else _(ONLY_A_PART)
        why = _("The service lists no event with this account, type and time yet.")
        return CheckResult(WriteFound.NOT_SEEN, why + part)
    address = build_url(write.app_id, *key)
    links = ((_("Open the event"), address),) if address else ()
    data = there.raw.get("data")
    if data is None:
        why = _(
            "There is an event with this account, type and time. The service does not show the "
            "data of this event."
        )
        return CheckResult(WriteFound.THERE, why, links)
    if _count_values(data) != submitted.sent["values"]:
        why = _(
            "There is an event with this account, type and time, but with other data. "
            "Another person may have reported this event."
        )
        return CheckResult(WriteFound.DIFFERS, why, links)
    why = _(
        "There is an event with this account, type and time, and the same number of "
        "values of each kind."
    )
    return CheckResult(WriteFound.THERE, why, links)


OUTCOMES = {
    "events.create": OutcomeChecker(
        gettext_noop("Report an event"), "lending.events.list", check_reported
    )
}
