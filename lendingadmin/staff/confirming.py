"""Whether it is still the person: who signed in or confirmed it within the last five minutes.

An open session is not enough for what changes people, decides about money or deletes a record. A
person with a second factor confirms with it, anybody else with the password.
"""

import time

from allauth.account.authentication import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from .models import User


def is_confirmed(request: HttpRequest) -> bool:
    """Whether this session's person gave their strongest factor lately."""
    wanted = _find_ways(request)
    since = time.time() - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
    records = get_authentication_records(request, request.user)
    return any(one["method"] in wanted and one["at"] > since for one in records)


def get_confirm_url(request: HttpRequest) -> str:
    """The page on which the person gives their strongest factor."""
    by_password = "password" in _find_ways(request)
    return reverse("account_reauthenticate" if by_password else "mfa_reauthenticate")


def _find_ways(request: HttpRequest) -> tuple[str, ...]:
    has_factor = isinstance(request.user, User) and is_mfa_enabled(request.user)
    return ("mfa",) if has_factor else ("password", "mfa")
