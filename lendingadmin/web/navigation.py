"""The frame around every page: the sidebar of areas, the app switch, and the person."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from time import monotonic
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from lendingadmin import __version__
from lendingadmin.core.areas import collect
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.lender import LENDER
from lendingadmin.core.policies.services import read_recent
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.permissions import list_held
from lendingadmin.core.staff.roles import (
    MAKE_PAPERS,
    NOTES_READ,
    NOTES_WRITE,
    SEARCH_BORROWERS,
    SEE_NAMES,
)

from . import apicalls
from .keyset import run_counts, spell_count, write_counts
from .masking import list_rights


@dataclass(frozen=True)
class SidebarEntry:
    """One entry of the sidebar: an area, or a list that the person chose."""

    key: str
    label: str
    url: str
    icon: str
    shortcut: str = ""
    badge: str = ""
    current: bool = False


#: Headings with entries.
Groups = tuple[tuple[str, tuple[SidebarEntry, ...]], ...]


class Keys(NamedTuple):
    """Data for the list of shortcut keys: the sidebar's groups, and the active keys."""

    groups: Groups
    may_record: bool
    may_note: bool
    may_paper: bool


class _Entry(NamedTuple):
    key: str
    label: str
    route: str
    icon: str
    shortcut: str
    permission: str


# The heading of the lists that a person pinned to the sidebar.
PINNED_HEADING = _("Pinned")
_SIDEBAR: tuple[tuple[str, tuple[_Entry, ...]], ...] = (
    (
        "",
        (
            _Entry("home", _("Home"), "home", "home", "h", "lending.loans.list"),
            _Entry(
                "borrowers", _("Borrowers"), "borrowers", "users", "b", "lending.borrowers.list"
            ),
            _Entry("loans", _("Loans"), "loans", "banknotes", "l", "lending.loans.list"),
            _Entry(
                "assessments",
                _("Assessments"),
                "assessments",
                "scale",
                "s",
                "lending.assessments.list",
            ),
            _Entry("events", _("Events"), "events", "inbox-stack", "e", "lending.events.list"),
        ),
    ),
    (
        _("Money"),
        (
            _Entry(
                "collections",
                _("Collections"),
                "collections",
                "phone",
                "c",
                "dashboard.collections.call",
            ),
            _Entry(
                "sheets",
                _("Sheets"),
                "sheets",
                "clipboard-document-list",
                "v",
                "dashboard.sheets.read",
            ),
            _Entry(
                "repayments", _("Repayments"), "repayments", "book-open", "r", "lending.loans.get"
            ),
            _Entry(
                "needs-checking",
                _("Needs checking"),
                "needs-checking",
                "question-mark-circle",
                "u",
                "lending.loans.get",
            ),
            _Entry(
                "statements",
                _("Statements"),
                "statements",
                "document-check",
                "m",
                "dashboard.statements.read",
            ),
        ),
    ),
    (
        _("Catalogue"),
        (
            _Entry(
                "products",
                _("Products"),
                "products",
                "rectangle-stack",
                "p",
                "lending.products.list",
            ),
            _Entry(
                "assessment-types",
                _("Assessment types"),
                "assessment-types",
                "beaker",
                "t",
                "lending.assessmentTypes.list",
            ),
        ),
    ),
    (
        _("Office"),
        (
            _Entry("audit", _("Audit trail"), "audit", "eye", "a", "dashboard.audit.view"),
            _Entry("people", _("People"), "people", "key", "o", "dashboard.people.manage"),
            _Entry(
                "policies",
                _("Settings"),
                "policies",
                "adjustments-horizontal",
                "f",
                "dashboard.policies.change",
            ),
        ),
    ),
)
# The text of the query for badges is used again for this many seconds. Times in the query are at
# most this old.
_WRITTEN_FOR = 60
_WITHOUT_APP = frozenset({"audit", "people", "products", "assessment-types"})

ListWaiting = Callable[[str, Any], QuerySet[Any]]


class Badge(NamedTuple):
    """A number next to a sidebar entry: the app's rows that the person can decide.

    Each page shows badges, so an index counts the rows, and only up to `keyset.COUNTED`. An entry
    shows the sum of its badges.
    """

    entry: str
    list_waiting: ListWaiting


class Group(NamedTuple):
    """Sidebar entries that a person chose, below the areas."""

    heading: str
    list_entries: Callable[[LendingApp, Any], list["SidebarEntry"]]


class Navigation:
    """The navigation. Its values are computed only if a template uses them; fragments do not."""

    #: The name and version of the dashboard, for people who report a fault.
    version = f"lendingadmin {__version__}"

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def app(self) -> LendingApp:
        """The app of this page, or the person's first app if the page belongs to none."""
        match = self._request.resolver_match
        app_id = match.kwargs.get("app_id") if match else None
        every: tuple[LendingApp, ...] = settings.LENDING_APPS
        here = [app for app in every if app.app_id == app_id]
        return (*here, *self.apps, *every)[0]

    @cached_property
    def lender(self) -> str:
        """The lender's name, for the header; empty if no name is set."""
        return str(read_recent(LENDER, self.app.app_id)["name"])

    @property
    def apps(self) -> list[LendingApp]:
        """The apps where this person has a role, for the switch in the header."""
        return getattr(self._request.user, "lending_apps", [])

    def _may(self, permission: str) -> bool:
        """Return True if the person has a right in the app whose areas are shown."""
        person: Any = self._request.user
        return bool(person.has_perm(permission, self.app.app_id))

    @property
    def may_search(self) -> bool:
        """True if the search box suggests people during typing."""
        return self._may(SEARCH_BORROWERS)

    @property
    def may_note(self) -> bool:
        """True if this person may read and write notes."""
        return self._may(NOTES_WRITE) and self._may(NOTES_READ)

    @property
    def may_record(self) -> bool:
        """True if this person may record repayments."""
        return self._may("lending.loans.makeRepayment")

    @property
    def calls(self) -> list[apicalls.Shown]:
        """Calls of this page to the service so far; empty for people who may not see them."""
        made = getattr(self._request, "api_calls", [])
        return apicalls.shown(made, list_rights(cast(User, self._request.user))) if made else []

    @property
    def groups(self) -> Groups:
        """The sidebar: headings with the areas that this person may enter."""
        return self._sidebar[0]

    @property
    def chosen(self) -> Groups:
        """The sidebar entries that this person chose: headings with entries."""
        return self._sidebar[1]

    @property
    def keys(self) -> Keys:
        """The shortcut keys that this person may use."""
        # A paper shows the name of its borrower, so the right to see names is needed too.
        may_paper = self._may(MAKE_PAPERS) and self._may(SEE_NAMES)
        return Keys(self.groups, self.may_record, self.may_note, may_paper)

    @cached_property
    def _sidebar(self) -> tuple[Groups, Groups]:
        """The areas, and the entries that the person chose below them.

        Both are empty until the person has chosen a password.
        """
        person: Any = self._request.user
        if getattr(person, "must_choose_password", False):
            return (), ()
        app_id, here = self.app.app_id, self._request.path
        areas = []
        for heading, entries in _SIDEBAR:
            allowed = [
                (one, _address(one.route, "" if one.route in _WITHOUT_APP else app_id))
                for one in entries
                if person.has_perm(one.permission, None if one.route in _WITHOUT_APP else app_id)
            ]
            if allowed:
                areas.append((gettext(heading), allowed))
        chosen = [
            (gettext(heading), entries)
            for heading, list_entries in collect("groups")
            if person.is_authenticated and (entries := list_entries(self.app, person))
        ]
        # The current entry is the one with the longest address at the start of the page's address.
        # The address of Home is at the start of all pages of an app, so only Home itself counts.
        home = _address("home", app_id)
        urls = [one.url for _heading, entries in chosen for one in entries]
        urls += [url for _heading, allowed in areas for _one, url in allowed]
        above = [url for url in urls if here.startswith(url) and url != home]
        current = max(above, key=len, default=home if here == home else "")
        keys = tuple(one.key for _heading, allowed in areas for one, _url in allowed)
        waiting = count_waiting(app_id, person, keys) if keys else {}
        groups = tuple(
            (
                heading,
                tuple(
                    SidebarEntry(
                        key=one.key,
                        label=gettext(one.label),
                        url=url,
                        icon=one.icon,
                        shortcut=one.shortcut,
                        badge=spell_count(waiting.get(one.key, 0)),
                        current=url == current,
                    )
                    for one, url in allowed
                ),
            )
            for heading, allowed in areas
        )
        return groups, tuple(
            (heading, tuple(replace(one, current=one.url == current) for one in entries))
            for heading, entries in chosen
        )


def count_waiting(app_id: str, person: User, entries: tuple[str, ...]) -> Mapping[str, int]:
    """Return the number of rows to decide for each sidebar entry, by the entry's key."""
    held = frozenset(list_held(person, app_id))
    keys, query, params = write_badges(
        app_id, person, held, entries, int(monotonic() // _WRITTEN_FOR)
    )
    found: dict[str, int] = {}
    for key, count in zip(keys, run_counts(query, params), strict=True):
        found[key] = found.get(key, 0) + count
    return found


@lru_cache(maxsize=256)
def _address(route: str, app_id: str) -> str:
    return reverse(route, args=[app_id] if app_id else [])


@lru_cache(maxsize=500)
def write_badges(
    app_id: str, person: User, held: frozenset[str], entries: tuple[str, ...], since: int
) -> tuple[tuple[str, ...], str, tuple[Any, ...]]:
    """Return the entry of each badge, and the query that counts their rows, with its parameters.

    Each page runs the query. Building its text takes ten times as long, so the text is used again
    until the rights `held` or the time `since` change.
    """
    badges = [one for key in entries for one in collect("badges") if one.entry == key]
    query, params = write_counts([one.list_waiting(app_id, person) for one in badges])
    return tuple(one.entry for one in badges), query, params


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Return `navigation` for base.html. This is a context processor."""
    return {"navigation": Navigation(request)}
