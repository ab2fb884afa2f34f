"""Two-step sign-in: people with a role in TWO_STEP_ROLES need a second factor after some days."""

from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from .models import User


def is_required_of(person: User) -> bool:
    """Return True if a role of the person in any app requires a second factor.

    A superuser needs a second factor if the setting names any role.
    """
    held = {role for roles in person.held_roles.values() for role in roles}
    return bool(settings.TWO_STEP_ROLES) and (
        person.is_superuser or not held.isdisjoint(settings.TWO_STEP_ROLES)
    )


def must_set_up(request: HttpRequest) -> bool:
    """Return True if a required second factor is missing and the grace period is over."""
    person = request.user
    if not isinstance(person, User) or person.two_step_due_at is None:
        return False
    if timezone.now() < person.two_step_due_at or not is_required_of(person):
        return False
    return not (_gave_second_factor(request, person) or is_mfa_enabled(person))


def _gave_second_factor(request: HttpRequest, person: User) -> bool:
    """Return True if the person gave a second factor in this session, here or at the provider."""
    found = get_authentication_records(request, person)
    return any(one["method"] == "mfa" or one.get("has_two_step") for one in found)


def end_grace(user: User, **_signal: Any) -> None:
    """End the grace period of a person whose factor was removed.

    The grace period is only for the first set-up.
    """
    user.two_step_due_at = timezone.now()
    user.save(update_fields=["two_step_due_at"])


def begin_grace(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    """Begin the grace period at a person's first sign-in without a required second factor.

    At each sign-in within this period, a message reminds the person to set up a factor. Do nothing
    if no factor is required, if the person has a factor here, or gave a factor at the provider.
    """
    if not is_required_of(user) or is_mfa_enabled(user) or _gave_second_factor(request, user):
        return
    if user.two_step_due_at is None:
        user.two_step_due_at = timezone.now() + settings.TWO_STEP_GRACE
        user.save(update_fields=["two_step_due_at"])
    if hasattr(request, "_messages") and timezone.now() < user.two_step_due_at:
        words = _(
            "Your role needs two-step sign-in. Set it up on your profile by %(day)s. After "
            "that day you can work only with two-step sign-in."
        )
        words %= {"day": date_format(user.two_step_due_at, "j M Y")}
        messages.warning(request, words, extra_tags="two-step-due")
