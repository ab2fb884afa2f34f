"""Independence: neither of two people changed the account of the other."""

from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core.audit.models import Entry

from .models import PersonChange, User

#: Time for which a change of an account counts.
CHANGED_WITHIN = timedelta(days=30)

# Outcomes that count, by action.
_CHANGES = {
    "people": ("added", "changed", "approved"),
    "people.setupLink": ("made",),
    "people.secondFactor": ("removed",),
}
# Details of entries about a changed name. An entry with only these details does not count.
_NAMES = (gettext_noop("first name"), gettext_noop("last name"))


class NotIndependent(Exception):
    """Error: the person who decides is not independent of the person who made the entry.

    One of the two changed the account of the other. The text says who changed it.
    """


def check_independent(by: User, maker: User) -> None:
    """Raise NotIndependent if `by` may not decide on an entry of `maker`."""
    if why := find_dependence(by, maker):
        raise NotIndependent(why)


def has_changed_account(by: User, person: User) -> bool:
    """Return True if `by` recently changed the account of this other person."""
    return list_account_changers(person).filter(pk=by.pk).exists()


def list_account_changers(person: User) -> QuerySet[User]:
    """Return the people who changed this person's account recently, except the person."""
    entries = _list_changes().filter(subject=person.username)
    asked = _list_approved().filter(person=person)
    found = Q(pk__in=entries.values("user")) | Q(pk__in=asked.values("asked_by"))
    return User.objects.filter(found).exclude(pk=person.pk)


def list_changed_accounts(by: User) -> QuerySet[User]:
    """Return the people whose accounts `by` changed recently, except `by`."""
    # The query uses the user name, which never changes. A query by `user` would read all entries of
    # the person.
    entries = _list_changes().filter(username=by.username)
    asked = _list_approved().filter(asked_by=by)
    found = Q(username__in=entries.values("subject")) | Q(pk__in=asked.values("person"))
    return User.objects.filter(found).exclude(pk=by.pk)


def list_dependent(person: User) -> QuerySet[User]:
    """Return the people who may not decide on entries of this person.

    This person may not decide on their entries either.
    """
    return list_account_changers(person) | list_changed_accounts(person)


def find_dependence(by: User, maker: User) -> str:
    """Return the reason why `by` may not decide on an entry of `maker`; empty if `by` may."""
    if has_changed_account(by, maker):
        words = _(
            "You changed the account of %(person)s in the last %(days)s days, so another "
            "person must decide."
        )
    elif has_changed_account(maker, by):
        words = _(
            "%(person)s changed your account in the last %(days)s days, so another person must "
            "decide."
        )
    else:
        return ""
    return words % {"person": maker.username, "days": CHANGED_WITHIN.days}


def _list_changes() -> QuerySet[Entry]:
    counts = Q()
    for action, outcomes in _CHANGES.items():
        counts |= Q(action=action, outcome__in=outcomes)
    since = timezone.now() - CHANGED_WITHIN
    # `action__in` repeats the actions, so that the database can use their index.
    changes = Entry.objects.filter(counts, action__in=_CHANGES, at__gte=since)
    names = [_(name) for name in _NAMES]
    of_name = Q(outcome="changed", detail__in=[*names, ", ".join(names)])
    return changes.exclude(of_name, action="people").order_by()


def _list_approved() -> QuerySet[PersonChange]:
    """Return the recent changes that a second manager approved.

    The manager who requested such a change counts as a manager who made the change.
    """
    since = timezone.now() - CHANGED_WITHIN
    return PersonChange.objects.filter(state=PersonChange.State.APPROVED, decided_at__gte=since)
