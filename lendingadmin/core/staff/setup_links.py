"""Links with which people choose their own password. A link works once and for some hours.

No other person chooses or sees the password. The token of the link is not stored. A token is made
from the person's data, and becomes invalid when this data changes.
"""

import logging

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from lendingadmin.core.english import in_english
from lendingadmin.core.staff.models import User

logger = logging.getLogger(__name__)
_PRINTS = "django.core.mail.backends.console.EmailBackend"


class SetupTokenGenerator(PasswordResetTokenGenerator):
    """Tokens of set-up links.

    A token is invalid after `PASSWORD_RESET_TIMEOUT`. A token also becomes invalid when the person
    signs in, gets another password, mail address or link, is deactivated, or becomes a superuser.
    Otherwise the manager who made the link could sign in as a superuser.
    """

    key_salt = "lendingadmin.core.staff.setup_links"

    def build_path(self, person: User) -> str:
        """Return the path of the person's link."""
        uid = urlsafe_base64_encode(force_bytes(person.pk))
        return reverse("account_setup", args=[uid, self.make_token(person)])

    def check_token(self, user: User | None, token: str | None) -> bool:
        """Return True if the person has an open set-up link with this token."""
        if user is None or not user.is_active or user.setup_link_at is None:
            return False
        return super().check_token(user, token)

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        made_at = user.setup_link_at.isoformat() if user.setup_link_at else ""
        value: str = super()._make_hash_value(user, timestamp)
        return f"{value}{made_at}{user.is_superuser}"


setup_tokens = SetupTokenGenerator()


def may_mail(person: User) -> bool:
    """Return True if a link can be mailed.

    If mail is only printed, the log would contain the link.
    """
    return bool(person.email) and settings.EMAIL_BACKEND != _PRINTS


@in_english
def mail_setup_link(person: User, address: str) -> bool:
    """Mail a person the link. If the mail was not sent, log the error and return False."""
    hours = settings.PASSWORD_RESET_TIMEOUT // 3600
    text = "\n".join(
        [
            _("Choose your password for the lending desk. Your user name is %(username)s.")
            % {"username": person.username},
            "",
            address,
            "",
            _(
                "The link works once, for %(hours)s hours. If you did not expect this e-mail, "
                "tell a manager."
            )
            % {"hours": hours},
        ]
    )
    try:
        EmailMessage(_("Set up your account"), text, to=[person.email]).send()
    except Exception as error:
        # The text of a mail server may contain the person's address.
        logger.error("a set-up link could not be mailed: %s", type(error).__name__)
        return False
    return True
