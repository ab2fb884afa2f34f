"""The sandbox's own settings, all from the environment. This folder's README.md lists them."""

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import environ
from django.core.exceptions import ImproperlyConfigured

from lendingadmin.sandbox.access import build_clients, read_clients
from lendingadmin.sandbox.rules.ids import PROJECT
from lendingadmin.sandbox.store.encryption import read_key

BASE_DIR = Path(__file__).resolve().parents[2]
env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

Read = TypeVar("Read")


def read(name: str, reader: Callable[[str], Read], default: str) -> Read:
    """Return one variable. Raises ImproperlyConfigured, with its name, for a malformed value."""
    try:
        return reader(env.str(name, default=default))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error


def read_seconds(text: str) -> float:
    """Read a duration in seconds, at most an hour. Raise ValueError for other text."""
    value = float(text)
    if not 0 <= value <= 3600:
        raise ValueError("must be from 0 to 3600 seconds")
    return value


SANDBOX_HOST = read("SANDBOX_HOST", str, "127.0.0.1")
SANDBOX_PORT = read("SANDBOX_PORT", int, "8001")
SANDBOX_DATABASE = read("SANDBOX_DATABASE", Path, str(BASE_DIR / "var" / "sandbox.sqlite3"))
SANDBOX_PROJECT = PROJECT
SANDBOX_TOKEN_SECONDS = read("SANDBOX_TOKEN_SECONDS", int, "3600")
SANDBOX_CLIENTS = build_clients(
    read("SANDBOX_CLIENT_ID", str, "sandbox"),
    read("SANDBOX_CLIENT_SECRET", str, "sandbox-secret"),
    read("SANDBOX_EXTRA_CLIENTS", read_clients, ""),
)
SANDBOX_PROCESSING_SECONDS = read("SANDBOX_PROCESSING_SECONDS", read_seconds, "4")
SANDBOX_OFFER_SECONDS = read("SANDBOX_OFFER_SECONDS", int, "86400")
SANDBOX_BODY_LIMIT = 1_000_000  # bytes; a contract of 520 instalments has about 150,000
SANDBOX_EVENTS_LIMIT = 4_999_999  # bytes; Spec: Limits, event data is under 5 MB

SANDBOX_DATA_KEY = read("SANDBOX_DATA_KEY", partial(read_key, SANDBOX_DATABASE), "")

# This key signs page tokens. It follows from the data key, so that tokens stay valid after a
# restart and no second secret is needed.
SECRET_KEY = hashlib.sha256(b"page tokens" + SANDBOX_DATA_KEY.encode()).hexdigest()
DEBUG = False
ALLOWED_HOSTS = ["*"]  # a service for programs: nothing here is built from the Host header
ROOT_URLCONF = "lendingadmin.sandbox.urls"
INSTALLED_APPS = ["lendingadmin.sandbox", "ninja"]  # ninja for the files of /docs
STATIC_URL = "/static/"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
MIDDLEWARE = ["lendingadmin.sandbox.api.envelope.envelope"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
DATA_UPLOAD_MAX_MEMORY_SIZE = None  # the envelope applies the limit, with its own answer

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(SANDBOX_DATABASE),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            " PRAGMA secure_delete=ON; PRAGMA cache_size=-32000;",
        },
    }
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    # Refusals are normal for the sandbox, so only unforeseen errors are logged.
    "loggers": {"django.request": {"level": "ERROR"}},
}
