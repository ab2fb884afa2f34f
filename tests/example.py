"""The environment of .env.example, and what a lender adds or sets in place of it."""

import base64
import os
import runpy
import secrets
import warnings
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

from tests.lints.test_variables import read_example

EXAMPLE = read_example()
OWN_KEYS = {
    "SECRET_KEY": secrets.token_urlsafe(48),
    "DATA_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    "PEOPLE_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    "AUDIT_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
}
# Of an identity provider, all that it needs.
PROVIDER = {
    "OIDC_ISSUER": "https://id.example.com/realms/lender",
    "OIDC_CLIENT_ID": "lendingadmin",
    "OIDC_CLIENT_SECRET": "the-secret-that-the-provider-gave-you",
    "OIDC_ROLES": "lender-officers=kenya:officer,lender-heads=kenya:manager+ghana:viewer",
}


def read_settings(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return what the product's settings hold in this environment alone, without a .env file.

    Those of the tests stay as they are. Raises ImproperlyConfigured where the product does not
    start.
    """
    with (
        patch.dict(os.environ, environ, clear=True),
        patch("environ.Env.read_env"),
        warnings.catch_warnings(action="ignore", category=RuntimeWarning),  # it is loaded already
    ):
        return runpy.run_module("lendingadmin.settings")
