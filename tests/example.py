"""The environment of .env.example, and what a lender sets in place of it."""

import base64
import secrets

from tests.lints.test_variables import read_example

EXAMPLE = read_example()
OWN_KEYS = {
    "SECRET_KEY": secrets.token_urlsafe(48),
    "DATA_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    "PEOPLE_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    "AUDIT_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
}
# What a lender sets beside keys before all checks pass.
OWN = {"EMAIL_FROM": "desk@lender.example.org", "HSTS_SECONDS": "31536000"}
