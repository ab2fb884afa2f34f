"""Saved lists of loans: their owners, their content, and the people who pinned them."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.web.fields import LineField
from lendingadmin.web.keyset import spell_count
from lendingadmin.web.navigation import PINNED_HEADING, Group, SidebarEntry

from .loan_list_form import LoanListForm
from .loan_lists import LoanList
from .models import LONGEST_NAME, SavedList
from .recorded_since import read_recorded_since
from .snapshot_job import find_with_loans

SHARE = "dashboard.loanLists.share"
# The most lists in a sidebar, because each page counts the loans of all these lists.
MOST_PINNED = 6
_MOST_OWNED = 50
NAME_TAKEN = _("You already have a list with this name.")
NO_ROOM = format_lazy(
    _("Your sidebar already has {count} lists. Unpin a list first."), count=MOST_PINNED
)
# These counts are on each page. Each process stores them until the data that they depend on change.
_counted: dict[tuple[object, ...], str] = {}
_MOST_COUNTED = 2_000
_STATE = ("show", "late", "product", "sort", "pageSize")


class SavedListForm(forms.Form):
    """Form for a saved list: its name, its visibility and its pin. Sharing needs a right."""

    name = LineField(
        max_length=LONGEST_NAME,
        help_text=_(
            "Choose a name that describes the loans in the list. Don't use a person's name."
        ),
    )
    is_shared = forms.BooleanField(label=_("For everybody"), required=False)
    is_pinned = forms.BooleanField(label=_("In my sidebar"), required=False, initial=True)

    def __init__(self, data: Any, *, app_id: str, owner: User) -> None:
        super().__init__(data)
        self.app_id, self.owner = app_id, owner
        if not owner.has_perm(SHARE, app_id):
            del self.fields["is_shared"]

    def clean_name(self) -> str:
        """Return the name.

        Raises ValidationError if another list of the person in the app has this name, or if the
        person has too many lists.
        """
        name = str(self.cleaned_data["name"])
        owned = SavedList.objects.filter(owner=self.owner, app_id=self.app_id)
        if owned.filter(name=name).exists():
            raise forms.ValidationError(NAME_TAKEN, code="taken")
        if owned.count() >= _MOST_OWNED:
            words = gettext("You already have %(count)s lists. Delete a list first.")
            raise forms.ValidationError(words % {"count": _MOST_OWNED})
        return name

    def clean_is_pinned(self) -> bool:
        """Return True if the list goes into the sidebar.

        Raises ValidationError if the sidebar is full.
        """
        is_pinned = bool(self.cleaned_data["is_pinned"])
        if is_pinned and not has_room(self.owner, self.app_id):
            raise forms.ValidationError(NO_ROOM)
        return is_pinned


def list_visible(app_id: str, person: Any) -> QuerySet[SavedList]:
    """Return the lists of an app that the person owns or that are shared, by name."""
    rows = SavedList.objects.filter(Q(owner_id=person.pk) | Q(is_shared=True), app_id=app_id)
    return rows.order_by("name", "pk")


def may_delete(person: User, saved: SavedList) -> bool:
    """Return True if the person owns the list, or may share and the list is shared."""
    return saved.owner_id == person.pk or (saved.is_shared and person.has_perm(SHARE, saved.app_id))


def has_room(person: User, app_id: str) -> bool:
    """Return True if the person's sidebar has room for another list of the app."""
    return SavedList.objects.filter(app_id=app_id, pinned_by=person).count() < MOST_PINNED


def write_query(state: Mapping[str, Any]) -> str:
    """Return the query string for the state of a list, without the page."""
    return urlencode({name: state[name] for name in _STATE if state.get(name)})


def read_state(saved: SavedList, given: QueryDict) -> dict[str, Any]:
    """Return the saved state of a list with the changes from an address, such as another order."""
    return QueryDict(saved.query).dict() | given.dict()


def list_sidebar_entries(app: LendingApp, person: User) -> list[SidebarEntry]:
    """Return sidebar entries for the lists that a person pinned, each with its number of loans.

    Return none for a person who may not list loans.
    """
    if not person.has_perm("lending.loans.list", app.app_id):
        return []
    rows = list_visible(app.app_id, person).filter(pinned_by=person)
    pinned = list(rows[:MOST_PINNED])
    counts = _count(app, pinned) if pinned else {}
    return [
        SidebarEntry(
            key=str(saved),
            label=saved.name,
            url=saved.get_absolute_url(),
            icon="bookmark",
            badge=counts.get(saved.pk, ""),
        )
        for saved in pinned
    ]


def _count(app: LendingApp, pinned: list[SavedList]) -> dict[int, str]:
    """Return the number of loans of each list, in words; empty before the first snapshot."""
    snapshot = find_with_loans(app.app_id)
    if snapshot is None:
        return {}
    recorded = read_recorded_since(app, snapshot)
    latest = max((one.at for one in recorded.values()), default=None)
    today = timezone.localdate(timezone=app.zone)
    if len(_counted) > _MOST_COUNTED:
        _counted.clear()
    counts = {}
    for saved in pinned:
        key = (snapshot.pk, snapshot.ended_at, len(recorded), latest, today, saved.query)
        count = _counted.get(key)
        if count is None:
            form = LoanListForm(QueryDict(saved.query).dict(), [])
            found = LoanList(app, snapshot, form, recorded)
            count = (spell_count(found.count_some()) or "0") if found.is_valid else ""
            _counted[key] = count
        counts[saved.pk] = count
    return counts


PINNED = Group(PINNED_HEADING, list_sidebar_entries)
