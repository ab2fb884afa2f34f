"""The work for the worker that concerns people: mail about their accounts."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _
from django_tasks import task

from lendingadmin.audit.models import Entry
from lendingadmin.worker import duties

from .models import PersonChange, User
from .notices import describe_change
from .roles import MANAGE_PEOPLE
from .second_manager import list_deciders, read_moves
from .setup_links import may_mail


@task()
def tell_person(entry_id: int) -> None:
    """Write to a person what somebody else changed about their account, once they have used it."""
    with duties.hide_error_words("telling a person of a change of their account"):
        entry = Entry.objects.get(pk=entry_id)
        person = User.objects.get(username=entry.subject)
        if person.last_login is None or not may_mail(person):
            return
        text = _("%(change)s.\n\nIf you did not expect this, tell another manager at once.")
        words = text % {"change": describe_change(entry)}
        EmailMessage(_("Your account was changed"), words, to=[person.email]).send()


@task()
def tell_of_guessing(person_id: int) -> None:
    """Write to those who manage people that somebody's password is being guessed."""
    with duties.hide_error_words("telling managers of guessed passwords"):
        person = User.objects.get(pk=person_id)
        managers = User.objects.with_perm(MANAGE_PEOPLE).exclude(email="").exclude(pk=person.pk)
        addresses = sorted(set(managers.values_list("email", flat=True)))
        if not addresses:
            return
        address = f"{settings.DASHBOARD_URL}{reverse('person', args=[person.pk])}"
        EmailMessage(
            _("Somebody guesses the password of an account"),
            _(
                "Many wrong passwords were given for an account within an hour, from several "
                "addresses. Nobody can sign in to it for up to an hour, whatever the password.\n\n"
                "Ask its owner whether that was they, and look at the audit trail:\n  %(address)s"
            )
            % {"address": address},
            bcc=addresses,
            headers={"To": "undisclosed-recipients:;"},
        ).send()


@task()
def tell_managers(change_id: int) -> None:
    """Write to those who may approve a change of a person that another manager asks for one."""
    with duties.hide_error_words("telling managers of a change that waits for them"):
        change = PersonChange.objects.select_related("person", "asked_by").get(pk=change_id)
        app_ids = {move.app_id for move in read_moves(change)}
        found = list_deciders(change.asked_by, change.person, app_ids)
        addresses = sorted({one.email for one in found if one.email})
        if not addresses:
            return
        address = f"{settings.DASHBOARD_URL}{reverse('person', args=[change.person_id])}"
        text = _(
            "%(manager)s asks for a change of a person, and a second manager must approve it:"
            "\n  %(address)s"
        )
        EmailMessage(
            _("A change of a person waits for you"),
            text % {"manager": change.asked_by, "address": address},
            bcc=addresses,
            headers={"To": "undisclosed-recipients:;"},
        ).send()
