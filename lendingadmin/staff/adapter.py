"""How allauth behaves here: no sign-up, failures in the audit trail, second factors encrypted."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest

from lendingadmin.audit import record
from lendingadmin.encryption import decrypt, encrypt
from lendingadmin.staff.models import User


class StaffAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Signing in for people whom a manager has entered; there is no sign-up."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never: managers enter people."""
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send nothing: of what allauth would mail, nothing is used here."""

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Record a refused password, at sign-in and at re-authentication.

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


class EncryptedMFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypts the secrets of second factors, so that a stolen database signs nobody in."""

    def encrypt(self, text: str) -> str:
        """Encrypt with the newest of DATA_KEYS."""
        return encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt. Raises DecryptionError when its key was removed."""
        return decrypt(encrypted_text)
