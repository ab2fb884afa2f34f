"""The environment of .env.example, and what a lender sets in place of it."""

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
# What a lender sets beside keys before all checks pass.
OWN = {"EMAIL_FROM": "desk@lender.example.org", "HSTS_SECONDS": "31536000"}


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
