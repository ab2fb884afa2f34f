"""Finding out what became of an event that was to be reported.

An event is unique by accountId, eventType and timestamp (Spec: Events), so it is looked for by
them. What it holds is not kept for that, only how much of each kind.
"""

from collections import Counter
from collections.abc import Mapping

from lendingadmin.writes.models import Write
from lendingadmin.writes.reconciliation import (
    CheckResult,
    OutcomeChecker,
    Submitted,
    register_checker,
)
from lendingadmin.writes.states import WriteFound

from . import finding

_KEY = ("accountId", "eventType", "timestamp")


def in_short(body: Mapping[str, object]) -> dict[str, object]:
    """What of an event is kept to compare with: its key, and how many values of each kind."""
    return {name: str(body.get(name, "")) for name in _KEY} | {"values": _counts(body.get("data"))}


def _counts(data: object) -> dict[str, int]:
    found: Counter[str] = Counter()
    for one in data if isinstance(data, list | tuple) else ():
        values = one.get("values") if isinstance(one, Mapping) else None
        if isinstance(one, Mapping) and isinstance(values, list | tuple):
            found[str(one.get("kind"))] += len(values)
    return dict(found)


def reported(write: Write, submitted: Submitted) -> CheckResult:
    """Whether the service lists an event with the same three, and as many values in it."""
    key = [str(submitted.sent[name]) for name in _KEY]
    looked = finding.find(write.app_id, *key)
    there = looked.found
    if there is None:
        whole = "" if looked.whole else " The service's list was not seen to its end."
        why = f"The service lists no event of this account, type and time so far.{whole}"
        return CheckResult(WriteFound.NOT_SEEN, why)
    address = finding.address_of(write.app_id, *key)
    links = (("Open the event", address),) if address else ()
    data = there.raw.get("data")
    if data is None:
        why = "There is an event of this account, type and time; what it holds is not shown."
        return CheckResult(WriteFound.THERE, why, links)
    if _counts(data) != submitted.sent["values"]:
        why = (
            "There is an event of this account, type and time, but it holds other data: "
            "somebody else may have reported it."
        )
        return CheckResult(WriteFound.DIFFERS, why, links)
    why = "There is an event of this account, type and time, with as many values of each kind."
    return CheckResult(WriteFound.THERE, why, links)


def register_checkers() -> None:
    """Let the writes of this area be followed."""
    register_checker(
        "events.create", OutcomeChecker("Report an event", "lending.events.list", reported)
    )
