"""What the frame around every page shows: the sidebar of areas, the app switch, the person."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from lendingadmin.gateway import LendingApp

from . import apicalls
from .keyset import spell_count


@dataclass(frozen=True)
class SidebarEntry:
    """One entry of the sidebar."""

    key: str
    label: str
    url: str
    icon: str
    shortcut: str = ""
    badge: str = ""
    current: bool = False


class _Entry(NamedTuple):
    key: str
    label: str
    route: str
    icon: str
    shortcut: str
    permission: str


_SIDEBAR: tuple[tuple[str, tuple[_Entry, ...]], ...] = (
    (
        "",
        (
            _Entry("desk", "Desk", "desk", "home", "d", "lending.loans.list"),
            _Entry("borrowers", "Borrowers", "borrowers", "users", "b", "lending.borrowers.list"),
            _Entry("loans", "Loans", "loans", "banknotes", "l", "lending.loans.list"),
            _Entry(
                "assessments",
                "Assessments",
                "assessments",
                "scale",
                "s",
                "lending.assessments.list",
            ),
            _Entry("events", "Events", "events", "inbox-stack", "e", "lending.events.list"),
        ),
    ),
    (
        "Money",
        (
            _Entry("repayments", "Repayments", "repayments", "book-open", "r", "lending.loans.get"),
            _Entry(
                "unknown", "Unknown", "unknown", "question-mark-circle", "u", "lending.loans.get"
            ),
        ),
    ),
    (
        "Catalogue",
        (
            _Entry(
                "products", "Products", "products", "rectangle-stack", "p", "lending.products.list"
            ),
            _Entry(
                "assessment-types",
                "Assessment types",
                "assessment-types",
                "beaker",
                "t",
                "lending.assessmentTypes.list",
            ),
        ),
    ),
    (
        "Office",
        (
            _Entry("audit", "Audit trail", "audit", "eye", "a", "dashboard.audit.view"),
            _Entry("people", "People", "admin:index", "key", "", "dashboard.people.manage"),
        ),
    ),
)
_WITHOUT_APP = frozenset({"audit", "admin:index", "products", "assessment-types"})

# What sidebar entries count; areas register it. They are on each page, so none counts further than
# `keyset.COUNTED`.
_BADGES: dict[str, list[Callable[[str, Any], int]]] = {}


def register_badge(key: str, count: Callable[[str, Any], int]) -> None:
    """Let the sidebar entry `key` show what `count` gives for the app at hand and the person.

    An entry may have several; it shows their sum.
    """
    _BADGES.setdefault(key, []).append(count)


class Navigation:
    """Computed when a template asks for it, so that fragments pay nothing."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def app(self) -> LendingApp:
        """The app of this page, or the first one where a page belongs to none."""
        match = self._request.resolver_match
        app_id = match.kwargs.get("app_id") if match else None
        apps: tuple[LendingApp, ...] = settings.LENDING_APPS
        return next((app for app in apps if app.app_id == app_id), apps[0])

    @property
    def apps(self) -> tuple[LendingApp, ...]:
        """The project's apps, for the switch in the header."""
        apps: tuple[LendingApp, ...] = settings.LENDING_APPS
        return apps

    @property
    def calls(self) -> list[apicalls.Shown]:
        """What this page asked of the service so far, for those with the right to see it."""
        return apicalls.shown(getattr(self._request, "api_calls", []))

    @cached_property
    def groups(self) -> tuple[tuple[str, tuple[SidebarEntry, ...]], ...]:
        """The sidebar: headings with the areas that this person may enter."""
        person, here = self._request.user, self._request.path
        rows = [
            (heading, entry, self._url(entry.route))
            for heading, entries in _SIDEBAR
            for entry in entries
            if person.has_perm(entry.permission)
        ]
        current = max((url for _, _, url in rows if here.startswith(url)), key=len, default="")
        groups: dict[str, list[SidebarEntry]] = {}
        for heading, entry, url in rows:
            counts = _BADGES.get(entry.key, ())
            groups.setdefault(heading, []).append(
                SidebarEntry(
                    key=entry.key,
                    label=entry.label,
                    url=url,
                    icon=entry.icon,
                    shortcut=entry.shortcut,
                    badge=spell_count(sum(count(self.app.app_id, person) for count in counts)),
                    current=url == current,
                )
            )
        return tuple((heading, tuple(areas)) for heading, areas in groups.items())

    def _url(self, route: str) -> str:
        return _address(route, "" if route in _WITHOUT_APP else self.app.app_id)


@lru_cache(maxsize=256)
def _address(route: str, app_id: str) -> str:
    return reverse(route, args=[app_id] if app_id else [])


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `navigation` for base.html."""
    return {"navigation": Navigation(request)}
