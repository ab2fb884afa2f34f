"""Confirmation of a person's identity: a sign-in or a factor within the last five minutes.

An open session is not enough to change people, decide about money or delete a record. A person with
a second factor confirms with this factor. Other people confirm with the password, or at the
identity provider if they have no password here.
"""

import time

from allauth.account.authentication import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from .models import User

#: Name, in the session, of a confirmation by the identity provider.
BY_PROVIDER = "provider"


def is_confirmed(request: HttpRequest) -> bool:
    """Return True if the person gave their strongest factor in this session recently."""
    wanted = _find_ways(request)
    since = time.time() - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
    records = get_authentication_records(request, request.user)
    return any(one["method"] in wanted and one["at"] > since for one in records)


def get_confirm_url(request: HttpRequest) -> str:
    """Return the address of the page on which the person gives their strongest factor."""
    if BY_PROVIDER in (ways := _find_ways(request)):
        return reverse("provider-confirm")
    return reverse("account_reauthenticate" if "password" in ways else "mfa_reauthenticate")


def has_factor(person: object) -> bool:
    """Return True if the person has a second factor in this dashboard."""
    return isinstance(person, User) and is_mfa_enabled(person)


def must_ask_provider(person: object) -> bool:
    """Return True if only the identity provider can confirm this person.

    Such a person has no password and no second factor in this dashboard.
    """
    if not (settings.OIDC_ISSUER and isinstance(person, User)):
        return False
    return not (person.has_usable_password() or is_mfa_enabled(person))


def _find_ways(request: HttpRequest) -> tuple[str, ...]:
    if must_ask_provider(request.user):
        return (BY_PROVIDER, "mfa")
    return ("mfa",) if has_factor(request.user) else ("password", "mfa")
