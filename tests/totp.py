"""The codes of an authenticator app."""

import time

from allauth.mfa.totp.internal import auth as totp


def make_code(secret: str, steps: int = 0) -> str:
    """Return the code of now, or of so many half minutes later."""
    counter = int(time.time()) // totp.app_settings.TOTP_PERIOD + steps
    code: str = totp.format_hotp_value(totp.hotp_value(secret, counter))
    return code
