"""What the type checker takes for settings: the dashboard's and the sandbox's projects together."""

from lendingadmin.sandbox.settings import (
    SANDBOX_BODY_LIMIT,
    SANDBOX_CLIENTS,
    SANDBOX_DATA_KEY,
    SANDBOX_DATABASE,
    SANDBOX_EVENTS_LIMIT,
    SANDBOX_OFFER_SECONDS,
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
    "SANDBOX_OFFER_SECONDS",
    "SANDBOX_PROCESSING_SECONDS",
    "SANDBOX_PROJECT",
    "SANDBOX_TOKEN_SECONDS",
]

INSTALLED_APPS = [*DASHBOARD_APPS, "lendingadmin.sandbox"]
