"""Take over, once, the rules that earlier versions read from environment variables."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.db import migrations
from django.utils import timezone

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_COMPANY = {"companyName", "phoneNumber", "emailAddress"}
_WORDS = {
    "LENDING_LOAN_STATUSES": "loan",
    "LENDING_PERFORMANCE_STATUSES": "performance",
    "LENDING_BORROWER_STATUSES": "borrower",
    "LENDING_PRODUCT_STATUSES": "product",
}
_REASON = "Taken over from the environment at an upgrade: {}."


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the app and the rest of each part of `kenya:…,ghana:…`."""
    for part in _split(text):
        app_id, _colon, rest = part.partition(":")
        yield app_id.strip(), rest.strip()


def _is_on(text: str) -> bool:
    return text.strip().lower() in ("on", "yes", "true", "1")


def _read_clock(text: str) -> str:
    hour, _colon, minute = text.partition(":")
    return "00:00" if int(hour) == 24 else f"{int(hour):02}:{int(minute or 0):02}"


def _read_hours(text: str) -> list[list[str] | None]:
    """Read `mon-sat 8-18:30` as the hours of each weekday."""
    match = re.fullmatch(r"([a-z]{3})-([a-z]{3}) ([\d:]+)-([\d:]+)", text.lower())
    if match is None:
        raise ValueError(text)
    first, last = (_WEEKDAYS.index(match[number]) for number in (1, 2))
    hours = [_read_clock(match[3]), _read_clock(match[4])]
    return [hours if first <= day <= last else None for day in range(7)]


def _read_days(text: str, part: str) -> dict[str, int]:
    """Read `1825,notes:365` as days by the names of the rule."""
    found = {}
    for piece in _split(text):
        kind, colon, days = piece.rpartition(":")
        found[f"{part}_{kind}" if colon else part] = int(days)
    return found


def _read_required(text: str) -> dict[str, list[str]]:
    """Read `surname/companyName,phoneNumber`. Alternatives of one category are not taken over."""
    groups = [] if text.strip() == "none" else [part.split("/") for part in _split(text)]
    found: dict[str, list[str]] = {"individual": [], "company": []}
    for names in groups:
        own = {
            "individual": [name.strip() for name in names if name.strip() != "companyName"],
            "company": [name.strip() for name in names if name.strip() in _COMPANY],
        }
        for category, left in own.items():
            found[category] += left if len(left) == 1 else []
    return found


def _read_one(
    name: str, text: str, app_ids: list[str]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield app (empty for all), rule and values of one old variable."""
    if name in _WORDS:
        words = (part.partition(":") for part in _split(text))
        values = {number.strip(): word.strip() for number, _colon, word in words}
        yield "", "status-words", {_WORDS[name]: values}
    elif name == "SECOND_MANAGER":
        yield "", "second-manager", {"is_on": _is_on(text)}
    elif name in ("KEEP_TEXTS_DAYS", "KEEP_ROWS_DAYS"):
        yield "", "retention", _read_days(text, "texts" if "TEXTS" in name else "rows")
    elif name == "APPROVAL_LIMITS":
        for app_id, rest in _pairs(text):
            amount, day, look_alikes, *_ = [*rest.split(":"), "", ""]
            limits = {"amount": amount or None, "day": day or None}
            yield app_id, "repayment-limits", {**limits, "look_alikes": bool(look_alikes)}
    elif name == "CONFIRM_ABOVE":
        for app_id, rest in _pairs(text):
            yield app_id, "repayment-limits", {"confirm_above": rest}
    elif name in ("LENDER_NAMES", "LENDER_LANGUAGES"):
        for app_id, rest in _pairs(text):
            yield app_id, "lender", {"name" if "NAMES" in name else "language": rest}
    elif name == "CONTACT_HOURS":
        for app_id, rest in _pairs(text):
            yield app_id, "calling", {"hours": _read_hours(rest)}
    elif name == "CONTACT_ATTEMPTS":
        for app_id, rest in _pairs(text):
            a_day, a_week = map(int, rest.split(":"))
            yield app_id, "calling", {"a_day": a_day, "a_week": a_week}
    elif name == "CONTACT_CLOSED":
        closed = defaultdict(list)
        for app_id, day in _pairs(text):
            closed[app_id].append([day, "closed"])
        for app_id, days in closed.items():
            yield app_id, "calling", {"closed": sorted(days)}
    else:
        key, values = {
            "CONTACT_HOLIDAYS": lambda: ("calling", {"has_holidays": _is_on(text)}),
            "SHEETS_BACK_AFTER": lambda: ("late-sheets", {"days": int(text)}),
            "EXPORTS_PER_DAY": lambda: ("quotas", {"exports": max(int(text), 1)}),
            "MASS_READING": lambda: ("quotas", {"opened": min(int(text), 300)}),
            "BORROWER_REQUIRED": lambda: ("required-fields", _read_required(text)),
        }[name]()
        for app_id in app_ids:
            yield app_id, key, values


NAMES = (
    *_WORDS,
    *("APPROVAL_LIMITS", "BORROWER_REQUIRED", "CONFIRM_ABOVE", "CONTACT_ATTEMPTS"),
    *("CONTACT_CLOSED", "CONTACT_HOLIDAYS", "CONTACT_HOURS", "EXPORTS_PER_DAY"),
    *("KEEP_ROWS_DAYS", "KEEP_TEXTS_DAYS", "LENDER_LANGUAGES", "LENDER_NAMES", "MASS_READING"),
    *("SECOND_MANAGER", "SHEETS_BACK_AFTER"),
)


def read_old(
    environ: Mapping[str, str], app_ids: list[str]
) -> tuple[dict[tuple[str, str], dict[str, Any]], dict[tuple[str, str], list[str]], list[str]]:
    """Return the values and the variables of each app and rule, and the unreadable variables."""
    found: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    names: dict[tuple[str, str], list[str]] = defaultdict(list)
    wrong = []
    for name in NAMES:
        text = environ.get(name, "").strip()
        try:
            rules = list(_read_one(name, text, app_ids)) if text else []
        except (ValueError, IndexError):
            wrong.append(name)
            continue
        for app_id, key, values in rules:
            if app_id in ("", *app_ids):
                found[app_id, key] |= values
                names[app_id, key].append(name)
    return found, names, wrong


def take_over(apps: Any, _editor: Any) -> None:
    """Save each rule of the environment, unless a manager saved the rule before."""
    version = apps.get_model("policies", "PolicyVersion")
    found, names, wrong = read_old(os.environ, [app.app_id for app in settings.LENDING_APPS])
    now = timezone.now()
    for (app_id, key), values in found.items():
        if version.objects.filter(app_id=app_id, kind=key).exists():
            continue
        reason = _REASON.format(", ".join(names[app_id, key]))
        version.objects.create(
            app_id=app_id, kind=key, number=1, values=values, valid_from=now,
            reason=reason, changed_at=now,
        )  # fmt: skip
        print(f"\n    {app_id or 'all apps'}, {key}: {reason}", end="")  # noqa: T201
    for name in wrong:
        print(f"\n    {name} could not be read. Set the rule under Settings.", end="")  # noqa: T201


class Migration(migrations.Migration):
    """The last version with these variables could read them, so they are read only here."""

    dependencies = [("policies", "0002_approval")]

    operations = [migrations.RunPython(take_over, migrations.RunPython.noop)]
