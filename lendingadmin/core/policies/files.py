"""Functions for one TOML file with all rules, for another host or for version control."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from lendingadmin.core.gateway import LendingApp

from .kinds import PolicyKind, fill_form, find_kind, list_kinds
from .models import PolicyVersion
from .services import list_versions, read_values, save_policy

#: Headings in the file: of the rules for all apps, and of the rules of single apps.
SHARED, APPS = "shared", "apps"


class WrongFile(Exception):
    """Error: the file can't be used, and nothing is saved. Each line of the text is one problem."""


def write_file() -> str:
    """Return the rules that are in force in all apps, as TOML."""
    shared = {one.key: read_values(one) for one in list_kinds() if one.is_shared}
    apps = {
        app.app_id: {
            one.key: read_values(one, app.app_id) for one in list_kinds() if not one.is_shared
        }
        for app in settings.LENDING_APPS
    }
    return "\n".join(_write_table({SHARED: shared, APPS: apps}, ())).lstrip() + "\n"


def save_file(text: str, reason: str) -> list[PolicyVersion]:
    """Compare a TOML file with the rules.

    Save a version of each rule that differs, and return these versions. Rules that are not in the
    file do not change. Raise WrongFile for an unknown app, rule or value, and for values that the
    form of the rule refuses.
    """
    wanted, problems = [], []
    for app, kind, given in _read_rules(text):
        place = ".".join([SHARED] if kind.is_shared else [APPS, app.app_id]) + f".{kind.key}"
        values = kind.complete(given)
        form = fill_form(kind, app, values)
        unknown = sorted(given.keys() - kind.defaults.keys() - form.fields.keys())
        problems += [f"{place}: “{name}” is unknown." for name in unknown]
        if not form.is_valid():
            problems += [
                f"{place}: {name}: {error}"
                for name, errors in form.errors.items()
                for error in errors
            ]
        elif not unknown:
            wanted.append((app, kind, form.get_values()))
    if problems:
        raise WrongFile("\n".join(problems))
    with transaction.atomic():
        return [one for app, kind, values in wanted for one in _save(app, kind, values, reason)]


def _save(
    app: LendingApp, kind: PolicyKind, values: Mapping[str, Any], reason: str
) -> Sequence[PolicyVersion]:
    if kind.complete(values) == read_values(kind, app.app_id):
        return []
    newest = list_versions(app.app_id, kind).first()
    seen = newest.number if newest else 0
    version = save_policy(app, kind, values, seen=seen, by=None, reason=reason)
    if version is None:
        raise WrongFile("Another change was saved at the same time. Try again.")
    return [version]


def _read_rules(text: str) -> Iterator[tuple[LendingApp, PolicyKind, Mapping[str, Any]]]:
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WrongFile(f"This is not a TOML file: {error}") from error
    if unknown := sorted(found.keys() - {SHARED, APPS}):
        raise WrongFile("\n".join(f"“{name}” is unknown." for name in unknown))
    apps = {app.app_id: app for app in settings.LENDING_APPS}
    places = [(next(iter(apps.values())), True, found.get(SHARED, {}))]
    for app_id, rules in found.get(APPS, {}).items():
        if app_id not in apps:
            raise WrongFile(f"“{app_id}” is not an app of LENDING_APPS.")
        places.append((apps[app_id], False, rules))
    for app, is_shared, rules in places:
        for key, values in rules.items():
            kind = find_kind(key)
            if kind is None or kind.is_shared != is_shared or not isinstance(values, dict):
                raise WrongFile(
                    f"“{key}” is not a rule of {'all apps' if is_shared else 'an app'}."
                )
            yield app, kind, values


def _write_table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a TOML table. A value that is None is left out."""
    inner = {name: one for name, one in table.items() if isinstance(one, Mapping)}
    lines = [
        f"{json.dumps(name)} = {_write_value(value)}"
        for name, value in table.items()
        if name not in inner and value is not None
    ]
    if lines or (path and not inner):
        yield f"\n[{'.'.join(json.dumps(one) for one in path)}]"
        yield from lines
    for name, one in inner.items():
        yield from _write_table(one, (*path, name))


def _write_value(value: Any) -> str:
    """Return a value as TOML. None is written as an empty list."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(_write_value(one) for one in value)}]"
    return "[]" if value is None else json.dumps(value, ensure_ascii=False)
