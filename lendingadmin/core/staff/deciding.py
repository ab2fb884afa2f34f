"""Decision of a second manager about a waiting change of a person: approve or decline."""

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core.staff.models import PersonChange, User
from lendingadmin.core.staff.reach import is_provided
from lendingadmin.core.staff.second_manager import (
    describe_change,
    filter_waiting,
    is_still_asked,
    may_approve,
    read_moves,
)
from lendingadmin.core.staff.services import (
    ChangeRefused,
    change_person,
    check_needs_link,
    delete_factors,
    issue_link,
    move_roles,
    record_change,
)

ANOTHER_MUST_APPROVE = gettext_lazy("Another manager must approve this change.")
NO_RIGHT_ANY_MORE = gettext_lazy(
    "The manager who asked for this change no longer has the right to do so. Please ask again."
)
NOTHING_TO_DECIDE = gettext_lazy(
    "Nothing to decide. This request was already decided or has expired."
)


def approve_change(request: HttpRequest, by: User, asked: PersonChange) -> tuple[PersonChange, str]:
    """Carry out a change that another manager requested.

    Return the change, and the path of the set-up link if the change is such a link. This path is a
    secret. Raise ChangeRefused if the change is not possible, or if `by` may not approve the
    change.
    """
    with change_person(by, asked.person_id) as person:
        change = _read_waiting(asked)
        if not may_approve(by, change):
            raise ChangeRefused(ANOTHER_MUST_APPROVE)
        if not is_still_asked(change):
            raise ChangeRefused(NO_RIGHT_ANY_MORE)
        path = _apply(change, person)
        _decide(request, change, PersonChange.State.APPROVED, by)
    return change, path


def decline_change(request: HttpRequest, by: User, asked: PersonChange) -> PersonChange:
    """Decline a waiting change. If `by` requested the change, the change is withdrawn.

    Raise ChangeRefused if the change no longer waits, or if `by` may not change the person.
    """
    with change_person(by, asked.person_id):
        change = _read_waiting(asked)
        is_own = change.asked_by_id == by.pk
        states = PersonChange.State
        _decide(request, change, states.WITHDRAWN if is_own else states.DECLINED, by)
    return change


def _read_waiting(asked: PersonChange) -> PersonChange:
    """Return the waiting change, read while the person's row is locked.

    Raise ChangeRefused if the change no longer waits.
    """
    rows = PersonChange.objects.select_related("person", "asked_by")
    change = filter_waiting(rows).filter(pk=asked.pk).first()
    if change is None:
        raise ChangeRefused(NOTHING_TO_DECIDE)
    return change


def _apply(change: PersonChange, person: User) -> str:
    """Carry out the change. Return the path of a set-up link; empty for other changes.

    Raise ChangeRefused for roles that the identity provider gives now.
    """
    if change.kind == PersonChange.Kind.SETUP_LINK:
        check_needs_link(person)
        return issue_link(person)
    if change.kind == PersonChange.Kind.SECOND_FACTOR:
        delete_factors(person)
    elif is_provided(person):
        raise ChangeRefused(_("Roles now come from the identity provider."))
    else:
        move_roles(person, read_moves(change))
    return ""


def _decide(
    request: HttpRequest, change: PersonChange, state: PersonChange.State, by: User
) -> None:
    change.state, change.decided_by, change.decided_at = state, by, timezone.now()
    change.save(update_fields=["state", "decided_by", "decided_at"])
    given = {"change": describe_change(change), "person": change.asked_by}
    detail = _("%(change)s, requested by %(person)s") % given
    record_change(request, change.state, change.person, detail)
