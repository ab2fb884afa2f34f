"""Independence: a second person did not change the account of the one who entered something.

A manager who changes a person's set-up link, second factor, e-mail or role can sign in as that
person. For some time after it they do not approve, resolve or review what that person enters. The
audit trail says who changed what. Nobody can change the trail, it is archived after 90 days at the
earliest, and it has an index of subjects.
"""

from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.audit.models import Entry

from .models import PersonChange, User

#: So long a change of an account counts.
CHANGED_WITHIN = timedelta(days=30)

_CHANGES = (
    Q(action="people", outcome__in=("added", "changed", "approved"))
    | Q(action="people.setupLink", outcome="made")
    | Q(action="people.secondFactor", outcome="removed")
)
# What the trail says of a person whose name alone was changed: one of these, or both.
_NAMES = (gettext_noop("first name"), gettext_noop("last name"))


class NotIndependent(Exception):
    """The person who decides changed the account of the one who entered it; the text says so."""


def check_independent(by: User, maker: User) -> None:
    """Raise NotIndependent if a person changed the account of the one who entered something."""
    if why := find_dependence(by, maker):
        raise NotIndependent(why)


def has_changed_account(by: User, person: User) -> bool:
    """Return whether somebody changed this person's account lately. Nobody's own counts."""
    return list_account_changers(person).filter(pk=by.pk).exists()


def list_account_changers(person: User) -> QuerySet[User]:
    """Return who changed this person's account lately, but the person."""
    entries = _list_changes().filter(subject=person.username)
    asked = _list_approved().filter(person=person)
    found = Q(pk__in=entries.values("user")) | Q(pk__in=asked.values("asked_by"))
    return User.objects.filter(found).exclude(pk=person.pk)


def list_changed_accounts(by: User) -> QuerySet[User]:
    """Return the people whose accounts somebody changed lately, but themselves."""
    entries, asked = _list_changes().filter(user=by), _list_approved().filter(asked_by=by)
    found = Q(username__in=entries.values("subject")) | Q(pk__in=asked.values("person"))
    return User.objects.filter(found).exclude(pk=by.pk)


def find_dependence(by: User, maker: User) -> str:
    """Return why a person does not decide of what another one entered; empty where they may."""
    if not has_changed_account(by, maker):
        return ""
    words = _(
        "You changed the set-up link, two-step sign-in, e-mail or role of %(person)s in the last "
        "%(days)s days, so another person decides."
    )
    return words % {"person": maker.username, "days": CHANGED_WITHIN.days}


def _list_changes() -> QuerySet[Entry]:
    changes = Entry.objects.filter(_CHANGES, at__gte=timezone.now() - CHANGED_WITHIN)
    names = [_(name) for name in _NAMES]
    of_name = Q(outcome="changed", detail__in=[*names, ", ".join(names)])
    return changes.exclude(of_name, action="people").order_by()


def _list_approved() -> QuerySet[PersonChange]:
    """Return what a second manager approved: the one who asked for it changed it too."""
    since = timezone.now() - CHANGED_WITHIN
    return PersonChange.objects.filter(state=PersonChange.State.APPROVED, decided_at__gte=since)
