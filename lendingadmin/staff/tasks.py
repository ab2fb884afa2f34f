"""The work for the worker that concerns people: mail about somebody who guesses passwords."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _
from django_tasks import task

from lendingadmin.worker import duties

from .models import User
from .roles import MANAGE_PEOPLE


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
