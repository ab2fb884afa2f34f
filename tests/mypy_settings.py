"""What the type checker takes for settings: the dashboard's and the sandbox's projects together."""

import os

# pragma: allowlist nextline secret
os.environ.setdefault("SANDBOX_DATA_KEY", "dHlwZXMtb25seS10eXBlcy1vbmx5LXR5cGVzLW9ubHk=")

from lendingadmin.sandbox.settings import (
    SANDBOX_BODY_LIMIT,
    SANDBOX_CLIENTS,
    SANDBOX_DATA_KEY,
    SANDBOX_DATABASE,
    SANDBOX_EVENTS_LIMIT,
    SANDBOX_HOST,
    SANDBOX_OFFER_SECONDS,
    SANDBOX_PORT,
    SANDBOX_PROCESSING_SECONDS,
    SANDBOX_PROJECT,
    SANDBOX_TOKEN_SECONDS,
)
from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as DASHBOARD_APPS

__all__ = [
    "SANDBOX_BODY_LIMIT",
    "SANDBOX_CLIENTS",
    "SANDBOX_DATABASE",
    "SANDBOX_DATA_KEY",
    "SANDBOX_EVENTS_LIMIT",
    "SANDBOX_HOST",
    "SANDBOX_OFFER_SECONDS",
    "SANDBOX_PORT",
    "SANDBOX_PROCESSING_SECONDS",
    "SANDBOX_PROJECT",
    "SANDBOX_TOKEN_SECONDS",
]

INSTALLED_APPS = [*DASHBOARD_APPS, "lendingadmin.sandbox"]
