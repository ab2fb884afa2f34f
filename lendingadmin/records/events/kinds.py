"""The five kinds of values in an event (Spec: EntityValueSet).

The name of a kind is `<service_domain>/<key>`. The domain is not documented, so only the end of the
name counts.
"""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext, gettext_noop, ngettext

from lendingadmin.lending.values import EntityValueSet, Event, each, text
from lendingadmin.web.display.templatetags.money import count as written

SMS, CONTACT = "sms", "contact"
BATTERY, LOCATION, APP = "device/battery", "device/location", "device/app"

CAPTURED = "personal_data.captured"
CATEGORIES = (SMS, CONTACT)


class EventKind(NamedTuple):
    """One kind: the ending of its name, and the words for one and for many of its values."""

    key: str
    name: str
    plural: str
    icon: str

    @property
    def one(self) -> str:
        """The word for one value: `message`."""
        return gettext(self.name)

    @property
    def many(self) -> str:
        """The word for several values: `messages`."""
        return gettext(self.plural)

    def counted(self, count: int) -> str:
        """Return the number with its word: `1 message`, `12 messages`."""
        return f"{written(count)} {self.one if count == 1 else self.many}"


KINDS = {
    kind.key: kind
    for kind in (
        EventKind(SMS, gettext_noop("message"), gettext_noop("messages"), "chat-bubble-left-right"),
        EventKind(CONTACT, gettext_noop("contact"), gettext_noop("contacts"), "users"),
        EventKind(
            BATTERY, gettext_noop("battery reading"), gettext_noop("battery readings"), "battery-50"
        ),
        EventKind(LOCATION, gettext_noop("location"), gettext_noop("locations"), "map-pin"),
        EventKind(APP, gettext_noop("app"), gettext_noop("apps"), "squares-2x2"),
    )
}


def find_kind(name: object) -> EventKind | None:
    """Return the kind with this name, with or without a domain; None for other names."""
    if not isinstance(name, str):
        return None
    for key, kind in KINDS.items():
        if name == key or name.endswith(f"/{key}"):
            return kind
    return None


def split_domain(name: object) -> str:
    """Return the domain in front of a known kind's key; empty if there is none."""
    kind = find_kind(name)
    return str(name)[: -len(kind.key)].rstrip("/") if kind else ""


def add_domain(domain: str, name: str) -> str:
    """Return a kind's full name. A bare key gets the domain; any other name is unchanged."""
    return f"{domain}/{name}" if name in KINDS and domain else name


def find_domain(events: Iterable[Event]) -> str:
    """Return the first domain in the kinds of these events; empty if there is none."""
    for event in events:
        for entry in each(event.data):
            if isinstance(entry, EntityValueSet) and split_domain(text(entry.kind)):
                return split_domain(entry.kind)
    return ""


def contents(event: Event) -> str:
    """Return the number of values by kind: `12 messages, 1 data set of an unknown kind`."""
    counts: dict[str, int] = {}
    others = 0
    for entry in each(event.data):
        kind = find_kind(entry.kind)
        if kind is None:
            others += 1
        else:
            counts[kind.key] = counts.get(kind.key, 0) + sum(1 for _ in entry.values or ())
    words = [KINDS[key].counted(count) for key, count in counts.items()]
    if others:
        full = ngettext(
            "%(count)s data set of an unknown kind",
            "%(count)s data sets of an unknown kind",
            others,
        )
        words.append(full % {"count": others})
    return ", ".join(words)
