"""Tasks about people: mail about accounts, and retention of data."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _
from django_tasks import task

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.worker import duties

from . import erasure, retention
from .models import PersonChange, User
from .notices import describe_change
from .roles import MANAGE_PEOPLE, VIEW_AUDIT
from .second_manager import list_deciders, read_moves
from .setup_links import may_mail

ERASE_EVERY = timedelta(hours=6)
PRUNE_EVERY = timedelta(hours=1)


@task()
def tell_person(entry_id: int) -> None:
    """Mail a person about a change to the account, if the person has signed in before."""
    with duties.hide_error_words("mail about a change to an account"):
        entry = Entry.objects.get(pk=entry_id)
        person = User.objects.get(username=entry.subject)
        if person.last_login is None or not may_mail(person):
            return
        text = _("%(change)s. If you did not expect this change, tell another manager immediately.")
        words = text % {"change": describe_change(entry)}
        EmailMessage(_("Your account was changed"), words, to=[person.email]).send()


@task()
def tell_of_guessing(person_id: int) -> None:
    """Mail the people who manage people about many wrong passwords for one account."""
    with duties.hide_error_words("mail about guessed passwords"):
        person = User.objects.get(pk=person_id)
        managers = User.objects.with_perm(MANAGE_PEOPLE).exclude(pk=person.pk)
        text = _(
            "Many wrong passwords were entered for an account within an hour, from several "
            "addresses. The account is locked for up to an hour, even with the right "
            "password. Ask the owner of the account, and check the audit trail: %(address)s"
        )
        words = text % {"address": build_address(reverse("person", args=[person.pk]))}
        mail_each(managers, _("Someone is guessing the password of an account"), words)


@task()
def tell_managers(change_id: int) -> None:
    """Mail the managers who may approve a change to a person.

    Another manager requested the change.
    """
    with duties.hide_error_words("mail about a change to approve"):
        change = PersonChange.objects.select_related("person", "asked_by").get(pk=change_id)
        app_ids = {move.app_id for move in read_moves(change)}
        text = _(
            "%(manager)s wants to change a person's account or roles. A second manager "
            "must approve the change: %(address)s"
        )
        given = {
            "manager": change.asked_by,
            "address": build_address(reverse("person", args=[change.person_id])),
        }
        people = list_deciders(change.asked_by, change.person, app_ids)
        mail_each(people, _("A change to a person needs your approval"), text % given)


@task()
def tell_of_mass_reading(entry_id: int) -> None:
    """Mail the people who may see the trail of an app about a person who opened many borrowers."""
    with duties.hide_error_words("mail about many opened borrowers"):
        entry = Entry.objects.get(pk=entry_id)
        app: Any = entry.app_id  # the type stubs require a model
        asked = {"app": entry.app_id, "person": entry.username, "action": "lending.borrowers.get"}
        text = _(
            "%(person)s opened %(count)s in %(app)s. If you do not know the reason, ask this "
            "person. If someone else used the account, deactivate the account. The audit trail "
            "lists the borrowers: %(address)s"
        )
        given = {
            "person": entry.username,
            "count": entry.detail,
            "app": entry.app_id,
            "address": build_address(reverse("audit", query=asked)),
        }
        people = User.objects.with_perm(VIEW_AUDIT, obj=app)
        mail_each(people, _("Someone opened an unusual number of borrowers"), text % given)


@task(priority=-60)
def erase_old() -> None:
    """Erase the texts and delete the rows that are too old.

    If one batch is not enough, the task is enqueued again.
    """
    with duties.hide_error_words("erasing old data"):
        if not all([erasure.erase_old(), retention.delete_old()]):
            erase_old.enqueue()


@task(priority=-10)
def prune() -> None:
    """Delete expired sessions, temporary data and old unfinished forms, and finished tasks."""
    with duties.hide_error_words("pruning"):
        retention.delete_over()


def beat() -> None:
    """Enqueue pruning once an hour, and the erasure of old data a few times a day."""
    duties.enqueue_at_most_every(PRUNE_EVERY, prune)
    if erasure.list_ageing() or retention.list_ageing():
        duties.enqueue_at_most_every(ERASE_EVERY, erase_old)


def build_address(path: str) -> str:
    """Return the full address of a page, for a mail."""
    return f"{settings.DASHBOARD_URL}{path}"


def mail_each(people: Iterable[User], subject: str, text: str) -> None:
    """Send one mail to all people with an address; they do not see each other's addresses."""
    if addresses := sorted({person.email for person in people if person.email}):
        to = {"To": "undisclosed-recipients:;"}
        EmailMessage(subject, text, bcc=addresses, headers=to).send()


TASKS = [tell_managers, tell_of_guessing, tell_of_mass_reading, erase_old, prune, tell_person]
