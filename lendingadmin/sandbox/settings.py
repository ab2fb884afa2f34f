"""Settings of the sandbox.

Options of `manage.py sandbox` change the settings with such a comment.
"""

from pathlib import Path

from lendingadmin.sandbox.access import build_clients
from lendingadmin.sandbox.rules.ids import PROJECT

BASE_DIR = Path(__file__).resolve().parents[2]

SANDBOX_PROJECT = PROJECT
SANDBOX_DATABASE = BASE_DIR / "var" / "sandbox.sqlite3"  # --database
SANDBOX_CLIENTS = build_clients([])  # --client
SANDBOX_TOKEN_SECONDS = 3600  # --token-seconds
SANDBOX_PROCESSING_SECONDS = 4.0  # --processing-seconds
SANDBOX_OFFER_SECONDS = 86400  # --offer-seconds
SANDBOX_DATA_KEY = ""  # from the file next to the database
SANDBOX_BODY_LIMIT = 1_000_000  # bytes; a contract of 520 instalments has about 150,000
SANDBOX_EVENTS_LIMIT = 4_999_999  # bytes; Spec: Limits, event data is under 5 MB

DEBUG = False
ALLOWED_HOSTS = ["*"]  # nothing in this service is built from the Host header
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
    # Refused requests are normal for the sandbox, so only other errors are logged.
    "loggers": {"django.request": {"level": "ERROR"}},
}
