"""How allauth behaves here: no sign-up, failures written down, second factors stored sealed."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest

from lendingadmin.audit import record
from lendingadmin.encryption import decrypt, encrypt
from lendingadmin.staff.models import User


class StaffAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Signing in for people whom a manager has entered; there is no sign-up and no mail."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never: managers enter people in the admin."""
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send nothing: no page of ours asks for a mail address, so none is known to be right."""

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Write down a refused password, for sign-in and for re-authentication alike.

        The user name is kept only if there is such a person: people type passwords into the wrong
        field, and a trail that repeated them would publish them. allauth's throttle bounds how
        many entries there are.
        """
        person = User.objects.filter(username__iexact=credentials.get("username") or "").first()
        detail = "wrong password" if person else "no such user name"
        record(
            request,
            "sign-in",
            subject=person.username if person else "",
            outcome="refused",
            detail=detail if person is None or person.is_active else "wrong password, inactive",
        )


class SealedMFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Stores the secrets of second factors sealed, so that a stolen database signs nobody in."""

    def encrypt(self, text: str) -> str:
        """Seal with the newest of DATA_KEYS."""
        return encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Open what `encrypt` sealed. Raises sealing.Unreadable when its key was taken away."""
        return decrypt(encrypted_text)
