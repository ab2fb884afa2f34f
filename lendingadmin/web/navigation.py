"""What the frame around every page shows: the sidebar of areas, the app switch, the person."""

from collections.abc import Callable, Iterable, Mapping
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
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.passwords import must_choose_password
from lendingadmin.core.staff.permissions import list_held
from lendingadmin.core.staff.roles import NOTES_READ, NOTES_WRITE, SEARCH_BORROWERS

from . import apicalls
from .keyset import count_each, run_counts, spell_count, write_counts
from .masking import list_rights


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


class Keys(NamedTuple):
    """What the list of keys is drawn from: the sidebar's groups, and which keys do something."""

    groups: tuple[tuple[str, tuple[SidebarEntry, ...]], ...]
    may_record: bool
    may_note: bool


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
                "",
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
                "",
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
            _Entry("people", _("People"), "people", "key", "", "dashboard.people.manage"),
        ),
    ),
)
# Seconds for which the query of the badges is used again: the times in it are as old at most.
_WRITTEN_FOR = 60
_WITHOUT_APP = frozenset({"audit", "people", "products", "assessment-types"})

ListWaiting = Callable[[str, Any], QuerySet[Any]]


class Badge(NamedTuple):
    """The number beside a sidebar entry: rows of the app at hand that wait for the person.

    It is on each page and read by an index, and counts no further than `keyset.COUNTED`. An entry
    shows the sum of its badges.
    """

    entry: str
    list_waiting: ListWaiting


class ToDecide(NamedTuple):
    """Rows that wait for the person's decision, on the home page with a link to `route`.

    `words` is an `ngettext_lazy` of `number` that shows %(count)s. `list_waiting` leaves out what
    this person may not decide, such as what they entered. `query` makes the list at `route` show
    these rows alone.
    """

    route: str
    words: Any
    list_waiting: ListWaiting
    query: str = ""


class Group(NamedTuple):
    """Sidebar entries that a person chose, below the areas."""

    heading: str
    list_entries: Callable[[LendingApp, Any], list["SidebarEntry"]]


class Waiting(NamedTuple):
    """Rows of one kind that wait for a decision: where they are, and how many, in words."""

    route: str
    url: str
    words: str


def list_decisions(app_id: str, person: Any) -> list[Waiting]:
    """What waits for a person's decision in an app, by kind, in one query."""
    decisions: tuple[ToDecide, ...] = collect("decisions")
    lists = [one.list_waiting(app_id, person) for one in decisions]
    counts = [0] * len(lists) if all(one.query.is_empty() for one in lists) else count_each(lists)
    return [
        Waiting(
            one.route,
            _address(one.route, app_id) + one.query,
            one.words % {"number": count, "count": spell_count(count)},
        )
        for one, count in zip(decisions, counts, strict=True)
        if count
    ]


class Navigation:
    """Computed when a template asks for it, so that fragments pay nothing."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def app(self) -> LendingApp:
        """The app of this page, or the person's first one where a page belongs to none."""
        match = self._request.resolver_match
        app_id = match.kwargs.get("app_id") if match else None
        every: tuple[LendingApp, ...] = settings.LENDING_APPS
        here = [app for app in every if app.app_id == app_id]
        return next(iter((*here, *self.apps, *every)))

    @property
    def apps(self) -> list[LendingApp]:
        """The apps in which this person holds a role, for the switch in the header."""
        return getattr(self._request.user, "lending_apps", [])

    def _may(self, permission: str) -> bool:
        """Whether the person holds a right in the app whose areas are shown."""
        person: Any = self._request.user
        return bool(person.has_perm(permission, self.app.app_id))

    @property
    def version(self) -> str:
        """What runs here, as who reports a fault names it."""
        return f"lendingadmin {__version__}"

    @property
    def may_search(self) -> bool:
        """Whether the find box suggests people while one types."""
        return self._may(SEARCH_BORROWERS)

    @property
    def calls(self) -> list[apicalls.Shown]:
        """What this page asked of the service so far, for those with the right to see it."""
        return apicalls.shown(
            getattr(self._request, "api_calls", []), list_rights(cast(User, self._request.user))
        )

    @cached_property
    def groups(self) -> tuple[tuple[str, tuple[SidebarEntry, ...]], ...]:
        """The sidebar: headings with the areas that this person may enter."""
        if must_choose_password(self._request.user):
            return ()
        found = []
        for heading, entries in _SIDEBAR:
            allowed = [entry for entry in entries if self._may_enter(entry)]
            if allowed:
                found.append((gettext(heading), self._mark_current(map(self._build, allowed))))
        return tuple(found)

    @property
    def keys(self) -> Keys:
        """The keys that this person may press."""
        return Keys(self.groups, self.may_record, self.may_note)

    @property
    def may_record(self) -> bool:
        """Whether this person records repayments."""
        return self._may("lending.loans.makeRepayment")

    @property
    def may_note(self) -> bool:
        """Whether this person writes notes, and reads them."""
        return self._may(NOTES_WRITE) and self._may(NOTES_READ)

    @cached_property
    def chosen(self) -> list[tuple[str, tuple[SidebarEntry, ...]]]:
        """What this person has chosen to have below: headings with entries."""
        return [
            (gettext(heading), self._mark_current(entries))
            for heading, entries in self._chosen
            if entries
        ]

    @cached_property
    def _chosen(self) -> list[tuple[str, list[SidebarEntry]]]:
        person = self._request.user
        return [
            (heading, list_entries(self.app, person))
            for heading, list_entries in collect("groups")
            if person.is_authenticated
        ]

    def _mark_current(self, entries: Iterable[SidebarEntry]) -> tuple[SidebarEntry, ...]:
        return tuple(replace(entry, current=entry.url == self._current) for entry in entries)

    @cached_property
    def _current(self) -> str:
        """The address of the entry that this page belongs to, the closest one; "" for none.

        All pages of an app stand below Home, which has itself alone.
        """
        here, home = self._request.path, self._url("home")
        urls = [entry.url for _heading, entries in self._chosen for entry in entries]
        for _heading, entries in _SIDEBAR:
            urls += [self._url(one.route) for one in entries if self._may_enter(one)]
        above = [url for url in urls if here.startswith(url) and url != home]
        return max(above, key=len, default=home if here == home else "")

    def _may_enter(self, entry: _Entry) -> bool:
        """Whether the person may enter an area: of this app, or of those that belong to none."""
        if entry.route in _WITHOUT_APP:
            return self._request.user.has_perm(entry.permission)
        return self._may(entry.permission)

    def _build(self, entry: _Entry) -> SidebarEntry:
        return SidebarEntry(
            key=entry.key,
            label=gettext(entry.label),
            url=self._url(entry.route),
            icon=entry.icon,
            shortcut=entry.shortcut,
            badge=spell_count(self._waiting.get(entry.key, 0)),
        )

    @cached_property
    def _waiting(self) -> Mapping[str, int]:
        """How many rows wait for the person, by the key of the entry that shows them."""
        app_id, person = self.app.app_id, cast(User, self._request.user)
        held = frozenset(list_held(person, app_id))
        entries = [one.key for _heading, group in _SIDEBAR for one in group if self._may_enter(one)]
        known = (app_id, person, held, tuple(entries), int(monotonic() // _WRITTEN_FOR))
        keys, query, params = write_badges(*known)
        found: dict[str, int] = {}
        for key, count in zip(keys, run_counts(query, params), strict=True):
            found[key] = found.get(key, 0) + count
        return found

    def _url(self, route: str) -> str:
        return _address(route, "" if route in _WITHOUT_APP else self.app.app_id)


@lru_cache(maxsize=256)
def _address(route: str, app_id: str) -> str:
    return reverse(route, args=[app_id] if app_id else [])


@lru_cache(maxsize=500)
def write_badges(
    app_id: str, person: User, held: frozenset[str], entries: tuple[str, ...], since: int
) -> tuple[tuple[str, ...], str, tuple[Any, ...]]:
    """Return the entry of each badge, and the query that counts them with its parameters.

    The rows are counted on each page. The text of the query takes ten times as long to write, so it
    is used again until the rights `held` or the time `since` differ.
    """
    badges = [one for key in entries for one in collect("badges") if one.entry == key]
    query, params = write_counts([one.list_waiting(app_id, person) for one in badges])
    return tuple(one.entry for one in badges), query, params


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `navigation` for base.html."""
    return {"navigation": Navigation(request)}
