"""The lending apps of LENDING_APPS. Settings import this module, so it must not import models."""

import re
from typing import NamedTuple
from zoneinfo import ZoneInfo

from babel.numbers import is_currency
from django.conf import settings
from django.http import Http404


class LendingApp(NamedTuple):
    """A lending app of the project: its id, its currency (ISO 4217) and its lender's time zone."""

    app_id: str
    currency: str
    zone: ZoneInfo


def read_lending_apps(text: str) -> tuple[LendingApp, ...]:
    """Read `kenya:KES:Africa/Nairobi,ghana:GHS:Africa/Accra`; at least one, ids unique.

    Raise ValueError with a sentence for the author of the text.
    """
    apps = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        app_id, currency, zone = [*part.split(":", 2), "", ""][:3]
        if not re.fullmatch(r"[A-Za-z0-9_-]+", app_id):
            raise ValueError(f"“{part}” does not start with an app id of letters, digits, - and _")
        if not is_currency(currency):
            raise ValueError(f"“{currency}” of “{part}” is not an ISO 4217 currency code")
        try:
            apps.append(LendingApp(app_id, currency, ZoneInfo(zone)))
        except (ValueError, OSError, KeyError) as error:
            raise ValueError(f"“{zone}” of “{part}” is not the name of a time zone") from error
    if not apps or len({app.app_id for app in apps}) != len(apps):
        raise ValueError("give at least one app, each id once: app:CURRENCY:Zone/Name,…")
    return tuple(apps)


def lending_app(app_id: str) -> LendingApp:
    """Return the app of LENDING_APPS with this id. Raise Http404 if there is none."""
    for known in settings.LENDING_APPS:
        if known.app_id == app_id:
            return known
    raise Http404("There is no such lending app in this dashboard.")
