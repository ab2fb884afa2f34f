"""Check an event before it is sent (Spec: Event, Events, Limits).

An error breaks a rule of the spec, and an event with an error is not sent. A warning is about data
that the spec does not define, or that an assessment would not use. A person may send an event with
warnings, and the service decides. No finding quotes a value, because values are personal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from lendingadmin.lending import codec
from lendingadmin.web.dates import far_notice
from lendingadmin.web.display.templatetags.money import count as written

from .kinds import CAPTURED, CATEGORIES, KINDS, SMS, find_kind
from .rules import LEFT_OUT, RULES, moment_of

TOO_LARGE = 5_000_000  # bytes; Spec: event data of one request must be under 5 MB
SMS_MONTHS = 6
NO_TIME = gettext_noop("The timestamp needs a date and time with Z or an offset.")
_DEEPEST = 32
_LONGEST_NAME = 40


class Part(NamedTuple):
    """Values of one kind: their number, and the first and last time if they have a time."""

    kind: str
    values: int
    first: datetime | None
    last: datetime | None


@dataclass
class Findings:
    """Result of the check. `size` is the size of the complete request body in bytes.

    If the service does not accept this size, `too_large` is the error. `errors` has this error too.
    """

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    size: int = 0
    too_large: str = ""


def check_event(body: Mapping[str, object], now: datetime) -> Findings:
    """Return the findings about a complete event that is ready to be sent.

    Data that are nested too deeply, or are not a list of sets, are not checked in detail.
    """
    findings = Findings()
    data = body.get("data")
    if _too_deep(data):
        findings.errors.append(
            _("The data is nested more than %(depth)s levels deep.") % {"depth": _DEEPEST}
        )
        return findings
    when = parse_time(body.get("timestamp"))
    _check_head(body, when, now, findings)
    if not isinstance(data, list) or not data:
        findings.errors.append(_("The data must be a list with at least one set of values."))
        return findings
    tally = _Tally()
    for place, entry in enumerate(data, start=1):
        tally.read_set(entry, place)
    tally.report(findings, when)
    _check_category(body.get("category"), data, findings)
    _check_size(body, findings)
    return findings


def months_before(when: datetime, months: int) -> datetime:
    """Return the same day some months earlier, or the last day of a shorter month."""
    year, month = divmod(when.year * 12 + when.month - 1 - months, 12)
    for day in (when.day, 30, 29, 28):
        try:
            return when.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    raise ValueError("there is no such month")


def parse_time(value: object) -> datetime | None:
    """Return a timestamp of the service as a time in UTC; None for other values."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        return found.astimezone(UTC) if found and found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _check_head(
    body: Mapping[str, object], when: datetime | None, now: datetime, findings: Findings
) -> None:
    account = body.get("accountId")
    kind, colon, key = account.partition(":") if isinstance(account, str) else ("", "", "")
    if not (kind and colon and key):
        findings.errors.append(_("The account id must be <type>:<id>, such as borrower:B-17."))
    if body.get("eventType") != CAPTURED:
        words = _("The event type is %(type)s. The service accepts no other type.")
        findings.errors.append(words % {"type": CAPTURED})
    if when is None:
        findings.errors.append(_(NO_TIME))
    elif when > now:
        findings.warnings.append(_("The event's time is in the future."))
    if when is not None and (notice := far_notice(_("The event's time"), when, now)):
        findings.warnings.append(notice)


def _check_category(category: object, data: list[object], findings: Findings) -> None:
    if category is None:
        return
    if category not in CATEGORIES:
        findings.errors.append(_("The category must be sms or contact, or empty."))
        return
    kinds = [find_kind(entry.get("kind")) for entry in data if isinstance(entry, Mapping)]
    keys = {kind.key for kind in kinds if kind}
    if keys - {category}:
        words = _("The category is %(category)s, but the data has other kinds.")
        findings.errors.append(words % {"category": category})


def _check_size(body: Mapping[str, object], findings: Findings) -> None:
    try:
        findings.size = len(codec.encode(body))
    except (TypeError, ValueError):
        findings.errors.append(_("The data has a value that JSON can't represent."))
        return
    if findings.size >= TOO_LARGE:
        findings.too_large = _(
            "The event has %(size)s bytes, but the service accepts less than %(limit)s. Split "
            "the event into several events, each with its own time."
        ) % {"size": written(findings.size), "limit": written(TOO_LARGE)}
        findings.errors.append(findings.too_large)


def _too_deep(value: object) -> bool:
    level = [value]
    for _level in range(_DEEPEST):
        holders = [one for one in level if isinstance(one, Mapping | list)]
        level = [
            child for one in holders for child in (one if isinstance(one, list) else one.values())
        ]
        if not level:
            return False
    return True


class _Tally:
    """The findings in the sets, each with its places, and the counts and times by kind."""

    def __init__(self) -> None:
        self.errors: dict[str, list[str]] = {}
        self.warnings: dict[str, list[str]] = {}
        self.times: dict[str, list[datetime]] = {}
        self.counts: dict[str, int] = {}
        self.domains: set[str] = set()

    def read_set(self, entry: object, place: int) -> None:
        where = _("set %(number)s") % {"number": place}
        if not isinstance(entry, Mapping):
            self._note(self.errors, _("a set must be an object with kind and values"), where)
            return
        kind, values = find_kind(entry.get("kind")), entry.get("values")
        if kind is None:
            words = _("the kind must end with one of these: %(kinds)s")
            words %= {"kinds": ", ".join(KINDS)}
            self._note(self.errors, words, where)
            return
        self.domains.add(str(entry["kind"])[: -len(kind.key)])
        if not isinstance(values, list):
            words = _("%(kind)s: values must be a list") % {"kind": kind.key}
            self._note(self.errors, words, where)
            return
        self.counts[kind.key] = self.counts.get(kind.key, 0) + len(values)
        within = _("set %(set)s, value %(number)s")
        for number, value in enumerate(values, start=1):
            self._read_value(kind.key, value, within % {"set": place, "number": number})

    def _read_value(self, key: str, value: object, place: str) -> None:
        if not isinstance(value, Mapping):
            self._note(self.errors, _("%(kind)s: a value must be an object") % {"kind": key}, place)
            return
        rules = RULES[key]
        for name, rule in rules.items():
            sent = value.get(name)
            if sent is None:
                if name not in LEFT_OUT:
                    words = _("%(kind)s: %(field)s is missing") % {"kind": key, "field": name}
                    self._note(self.warnings, words, place)
            elif wanted := rule(sent):
                words = _("%(kind)s: %(field)s must be %(wanted)s")
                given = {"kind": key, "field": name, "wanted": wanted}
                self._note(self.errors, words % given, place)
        if key == SMS and value.get("direction") not in (None, "inbound", "outbound"):
            words = _("%(kind)s: direction is neither inbound nor outbound") % {"kind": key}
            self._note(self.warnings, words, place)
        for name in sorted(value.keys() - rules.keys()):
            words = _("%(kind)s: the service's documentation has no field “%(field)s”")
            given = {"kind": key, "field": name[:_LONGEST_NAME]}
            self._note(self.warnings, words % given, place)
        if when := moment_of(value.get("timestamp")):
            self.times.setdefault(key, []).append(when)

    def report(self, findings: Findings, when: datetime | None) -> None:
        """Add all counts to the findings, as sentences."""
        findings.errors += _write_sentences(self.errors)
        findings.warnings += _write_sentences(self.warnings)
        if not sum(self.counts.values()) and not findings.errors:
            findings.errors.append(_("There are no values in the data."))
        if "" in self.domains:
            findings.errors.append(
                _("Each kind must begin with the service's domain, such as <domain>/sms.")
            )
        elif len(self.domains) > 1:
            findings.warnings.append(_("The kinds have different domains."))
        for key, count in self.counts.items():
            times = sorted(self.times.get(key, ()))
            first, last = (times[0], times[-1]) if times else (None, None)
            findings.parts.append(Part(key, count, first, last))
        if when:
            self._report_times(findings, when)

    def _report_times(self, findings: Findings, when: datetime) -> None:
        later = sum(found > when for times in self.times.values() for found in times)
        if later:
            words = ngettext(
                "%(count)s value is later than the event.",
                "%(count)s values are later than the event.",
                later,
            )
            findings.warnings.append(words % {"count": written(later)})
        earliest = months_before(when, SMS_MONTHS)
        old = sum(found < earliest for found in self.times.get(SMS, ()))
        if old:
            words = _(
                "%(messages)s older than %(months)s months before the event. Assessments do "
                "not use such old messages."
            )
            given = {"messages": KINDS[SMS].counted(old), "months": SMS_MONTHS}
            findings.warnings.append(words % given)

    @staticmethod
    def _note(where: dict[str, list[str]], words: str, place: str) -> None:
        where.setdefault(words, []).append(place)


def _write_sentences(found: Mapping[str, list[str]], most: int = 20) -> list[str]:
    several = _("%(words)s (%(count)s times, first at %(place)s)")
    sentences = [
        f"{words} ({places[0]})"
        if len(places) == 1
        else several % {"words": words, "count": written(len(places)), "place": places[0]}
        for words, places in list(found.items())[:most]
    ]
    if (rest := len(found) - most) > 0:
        sentences.append(_("… and %(count)s more findings") % {"count": rest})
    return sentences
