"""Adapters for allauth: no sign-up, failures in the audit trail, encrypted second factors."""

from ipaddress import ip_address
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import ratelimit
from allauth.core.internal.ratelimit import truncate_ip
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.text import slugify
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as _

from lendingadmin.core.audit import record
from lendingadmin.core.encryption import decrypt, encrypt
from lendingadmin.core.staff import reach, tasks
from lendingadmin.core.staff.known_browsers import COOKIE, find_key
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.provider import note_sign_in_at_provider, refuse_local_sign_in

# Name of allauth's limit for wrong passwords of one user name, from all addresses.
_FOR_NAME = "login_failed_for_name"
# Within this time only one entry and one mail are made about blocked sign-ins.
_NOTED_SECONDS = 60 * 60
# Place to which the secrets of second factors are bound. It names no person, because allauth does
# not give the person.
FOR_SECOND_FACTOR = "mfa.secret"
FROM_ONE, FROM_MANY = _("from one address"), _("from many addresses")


class StaffAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Sign-in adapter: only managers add people."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False, because only managers add people."""
        return False

    def set_password(self, user: User, password: str) -> None:
        """Save a password that the person chose; the person need not choose another password."""
        user.must_choose_password = False
        super().set_password(user, password)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send nothing, because the dashboard does not use allauth's mails."""

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raise ValidationError if too many wrong passwords were entered, and record this.

        A few wrong passwords block the user name at the address of the client, so that an attacker
        elsewhere cannot lock the person out. Many wrong passwords block the user name at every
        address, and managers are notified. A browser with which the person signed in before has its
        own count (`known_browsers`).
        """
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            self._note_held_back(request, FROM_ONE, **credentials)
            raise
        key = _find_browser(request, credentials) or _fold_name(credentials)
        if not ratelimit.consume(request, action=_FOR_NAME, key=key, dry_run=True):
            self._note_held_back(request, FROM_MANY, **credentials)
            raise self.validation_error("too_many_login_attempts")

    def pre_login(
        self, request: HttpRequest, user: User, *, signal_kwargs: Any, **options: Any
    ) -> HttpResponse | None:
        """Refuse a local sign-in of a person who may sign in only with the identity provider.

        Return the page that refuses the sign-in; None if the sign-in continues. Without this check,
        a person could add a passkey to this dashboard, and the passkey would still work after the
        account at the provider is closed.
        """
        sociallogin = (signal_kwargs or {}).get("sociallogin")
        if sociallogin is None and (not settings.LOCAL_SIGN_IN or reach.is_provided(user)):
            return refuse_local_sign_in(request, user)
        answer: HttpResponse | None = super().pre_login(
            request, user, signal_kwargs=signal_kwargs, **options
        )
        if answer is None and sociallogin is not None:
            note_sign_in_at_provider(request, user, sociallogin)
        return answer

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address.

        If it is an IPv6 address that contains an IPv4 address, return this. Otherwise all clients
        with such IPv6 addresses would be in one network and share one limit.
        """
        ip = str(super().get_client_ip(request))
        mapped = getattr(ip_address(ip), "ipv4_mapped", None)
        return str(mapped or ip)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        if browser := _find_browser(request, credentials):
            return browser
        return f"{self._find_network(request)} {_fold_name(credentials)}"

    def _find_network(self, request: HttpRequest) -> str:
        """Return the client's network, because one client may have a /64 of IPv6 addresses."""
        return str(truncate_ip(self.get_client_ip(request)))

    def _note_held_back(self, request: HttpRequest, detail: str, **credentials: Any) -> None:
        """Record in the trail, at most once an hour, that a sign-in was blocked.

        Managers are notified if a user name is blocked at every address.
        """
        person = _find_person(credentials)
        who = person.pk if person else self._find_network(request)
        if not cache.add(f"held-back:{slugify(detail)}:{who}", True, _NOTED_SECONDS):
            return
        subject = person.username if person else ""
        record(request, "sign-in", subject=subject, outcome="held back", detail=detail)
        if person and detail == FROM_MANY:
            tasks.tell_of_guessing.enqueue(person.pk)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count and record a refused password, at sign-in and at re-authentication.

        The entry has the user name only if there is such a person, because some people type the
        password into the wrong field, and the trail must not show a password. allauth's limit of
        tries also limits the number of entries.
        """
        key = _find_browser(request, credentials) or _fold_name(credentials)
        ratelimit.consume(request, action=_FOR_NAME, key=key)
        person = _find_person(credentials)
        detail = _("wrong password") if person else _("no such user name")
        record(
            request,
            "sign-in",
            subject=person.username if person else "",
            outcome="refused",
            detail=detail
            if person is None or person.is_active
            else _("wrong password, deactivated account"),
        )


def _fold_name(credentials: dict[str, Any]) -> str:
    return str(credentials.get("username") or "").casefold()


def _find_browser(request: HttpRequest, credentials: dict[str, Any]) -> str:
    """Return the key of this browser if the person signed in with it before, else an empty text."""
    # Most requests have no such cookie. They need no query for the person.
    return find_key(request, _find_person(credentials)) if COOKIE in request.COOKIES else ""


def _find_person(credentials: dict[str, Any]) -> User | None:
    return User.objects.filter(username__iexact=credentials.get("username") or "").first()


class EncryptedMFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Adapter that encrypts the secrets of second factors. A stolen database reveals none."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": gettext_lazy(
            "This code is wrong or expired. Enter the next code. If the next code is also "
            "refused, set the time of your phone to automatic."
        )
    }

    def encrypt(self, text: str) -> str:
        """Return the text, encrypted with the newest of DATA_KEYS."""
        return encrypt(text, FOR_SECOND_FACTOR)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the decrypted text. Raise DecryptionError if the key was removed."""
        return decrypt(encrypted_text, FOR_SECOND_FACTOR)
