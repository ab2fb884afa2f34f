"""The dashboard's settings. Values that differ between installations are environment variables.

docs/configure.md lists each variable with meaning, default and example. demo/environment.py sets
each of them, .env.example those without a default. A test compares these files.
"""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

import django
import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from lendingadmin.core.env import (
    REMOVED,
    cache_address,
    dashboard_address,
    data_keys,
    database_address,
    existing_file_or_none,
    file_or_none,
    is_loopback,
    lending_address,
    mail_address,
    mail_server,
    one_of,
    positive_number,
    proxy_address_or_none,
    secret_keys,
    service_address_or_none,
    session_hours,
    switch,
    whole_number,
    words_or_none,
)
from lendingadmin.core.gateway.lending_apps import read_lending_apps
from lendingadmin.core.staff.provider_roles import read_provider_roles

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"

environ.Env.read_env(BASE_DIR / ".env")

Read = TypeVar("Read")

# A sentence for each variable that is wrong. The end of this module raises all sentences together,
# for the person who fills in .env.
_problems: list[str] = []


def read(name: str, reader: Callable[[str], Read], default: str | None = None) -> Read:
    """Read one variable.

    A missing or malformed value is added to `_problems`, which stop the start at the end of this
    module. Until then the setting has its default, or an empty tuple if it has none.
    """
    # django-environ is not used, because it reads a value that starts with $ as a variable's name.
    text = os.environ.get(name, default)
    if text is None or (text == "" and default != ""):
        _problems.append(f"{name} is not set. docs/configure.md explains it.")
    else:
        try:
            return reader(text)
        except ValueError as error:
            _problems.append(f"{name}: {error}")
    return reader(default) if default is not None else cast(Read, ())


# --- the Lending Service -------------------------------------------------------------------

LENDING_BASE_URL = read("LENDING_BASE_URL", lending_address)
# The issuer of tokens may have an address of its own.
LENDING_AUTH_URL = read(
    "LENDING_AUTH_URL", lambda text: lending_address(text) if text else LENDING_BASE_URL, ""
)
LENDING_CA_FILE = read("LENDING_CA_FILE", existing_file_or_none, "none")
LENDING_PROXY = read("LENDING_PROXY", proxy_address_or_none, "")
LENDING_CLIENT_ID = read("LENDING_CLIENT_ID", str)
LENDING_CLIENT_SECRET = read("LENDING_CLIENT_SECRET", str)
# With `platform` alone, the service refuses loans.
LENDING_SCOPE = "platform.lending"
LENDING_PROJECT_ID = read("LENDING_PROJECT_ID", str)
LENDING_APPS = read("LENDING_APPS", read_lending_apps)
LENDING_CUSTOM_METHODS = read("LENDING_CUSTOM_METHODS", one_of("colon", "slash"), "colon")
# After this time, a repayment that needs checking becomes “not found at the service”.
REPAYMENT_QUIET = timedelta(minutes=15)
# How often the worker reads all loans, and all borrowers and assessments. None: from 6 to 24 hours,
# one hour for each 100,000 items. 0: on request only.
SNAPSHOT_EVERY: timedelta | None = None
PEOPLE_EVERY: timedelta | None = None
SNAPSHOT_MONTH_ENDS = read("SNAPSHOT_MONTH_ENDS", whole_number, "0")
SESSION_HOURS = read("SESSION_HOURS", session_hours, "12")

# --- where and how it runs -----------------------------------------------------------------

DASHBOARD_URL = read("DASHBOARD_URL", dashboard_address)
_ADDRESS = urlsplit(DASHBOARD_URL or "https://localhost")
_HOST = _ADDRESS.hostname or ""
HTTPS = _ADDRESS.scheme == "https"
# Probes are answered before the host is checked. On one machine people type either name.
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"] if is_loopback(_HOST) else [_HOST]
# For a proxy that hands on another port or host name.
CSRF_TRUSTED_ORIGINS = [f"{_ADDRESS.scheme}://{_ADDRESS.netloc.lower()}"]
# The web process does not speak HTTPS, so a proxy does.
TRUSTED_PROXIES = read("TRUSTED_PROXIES", whole_number, "1" if HTTPS else "0")
DEBUG = False
DEMO = False  # demo/settings.py sets it
REMOVED_VARIABLES = [name for name in REMOVED if name in os.environ]
SECRET_KEY, *SECRET_KEY_FALLBACKS = read("SECRET_KEY", secret_keys) or [""]
DATA_KEYS = read("DATA_KEYS", data_keys)
PEOPLE_KEYS = read("PEOPLE_KEYS", data_keys)
AUDIT_ANCHOR = read("AUDIT_ANCHOR", file_or_none, str(VAR_DIR / "audit-anchor.json"))
AUDIT_LINES = read("AUDIT_LINES", switch, "off")
AUDIT_KEYS = read("AUDIT_KEYS", lambda text: data_keys(text) if text else DATA_KEYS, "")

# Django 6 has template partials. Older versions need a package, which has the same names.
_NEEDS_PARTIALS = django.VERSION < (6,)

ROOT_URLCONF = "lendingadmin.urls"
WSGI_APPLICATION = "lendingadmin.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "lendingadmin.core.staff",
    "lendingadmin.core.audit",
    "lendingadmin.core.policies",
    "lendingadmin.office.policies",
    "lendingadmin.web",
    "lendingadmin.core.gateway",
    "lendingadmin.core.caching",
    "lendingadmin.core.worker",
    "lendingadmin.core.monitoring",
    "lendingadmin.web.display",
    "lendingadmin.records.borrowers",
    "lendingadmin.records.loans",
    "lendingadmin.money.repayments",
    "lendingadmin.records.assessments",
    "lendingadmin.records.offers",
    "lendingadmin.records.events",
    "lendingadmin.people.index",
    "lendingadmin.people.search",
    "lendingadmin.desk.portfolio",
    "lendingadmin.desk.statements",
    "lendingadmin.records.notes",
    "lendingadmin.records.timeline",
    "lendingadmin.desk.assignments",
    "lendingadmin.desk.collections",
    "lendingadmin.desk.sheets",
    "lendingadmin.desk.papers",
    # After the areas with money, because “To decide” has the kinds in this order.
    "lendingadmin.money.writes",
    "lendingadmin.demo",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",  # for allauth's list of security keys
    "django.forms",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "django_htmx",
    "csp",
    *(["template_partials"] if _NEEDS_PARTIALS else []),
    "heroicons",
    "django_tasks",
    "django_tasks_db",
]

MIDDLEWARE = [
    "lendingadmin.web.middleware.FramesMiddleware",
    "lendingadmin.core.monitoring.request_lines.RequestLineMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "lendingadmin.web.middleware.SecurityHeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "lendingadmin.web.views.ProbesMiddleware",
    "lendingadmin.web.middleware.CompressionMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "lendingadmin.core.audit.origin.OriginMiddleware",
    "lendingadmin.core.staff.sessions.SessionLimitsMiddleware",
    "lendingadmin.web.access.AccessMiddleware",
    "lendingadmin.web.middleware.LendingMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "lendingadmin.web.navigation.navigation",
            ],
            "builtins": [
                "django_htmx.templatetags.django_htmx",
                "django.templatetags.i18n",
                *(["template_partials.templatetags.partials"] if _NEEDS_PARTIALS else []),
            ],
        },
    }
]

# Forms are drawn by templates/django/forms: label, hint and error in the product's own way.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# --- storage -------------------------------------------------------------------------------

# Only the account of a process may read the files that the process writes.
os.umask(0o077)
DATABASES: dict[str, dict[str, Any]] = {
    "default": read(
        "DATABASE_URL", database_address, f"sqlite:///{VAR_DIR / 'lendingadmin.sqlite3'}"
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    Path(DATABASES["default"]["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    # A committed repayment intent must outlive a power cut, and two writers must queue, not fail.
    DATABASES["default"]["OPTIONS"] = {
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
    }
else:
    # This backend stops waiting for a server that does not answer (LONGEST_WAIT in wsgi.py).
    DATABASES["default"]["ENGINE"] = "lendingadmin.core.postgresql"
    # The limits free a thread if the database's host is gone, and a lock if a process hangs.
    DATABASES["default"]["OPTIONS"] = {
        "connect_timeout": 5,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 60_000,  # milliseconds
        "options": "-c idle_in_transaction_session_timeout=60s",
        **DATABASES["default"].get("OPTIONS", {}),
    }
# Opening a connection again for each request costs as much as the request's queries.
DATABASES["default"].setdefault("CONN_MAX_AGE", 60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
CACHES = {
    "default": cache_address("dbcache://counters") | {"KEY_PREFIX": "counters"},
    "shared": read("CACHE_URL", cache_address, "dbcache://cache"),
}

# The worker's tasks are in the database, so no other service must run or be backed up.
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}

# --- people --------------------------------------------------------------------------------

AUTH_USER_MODEL = "staff.User"
AUTHENTICATION_BACKENDS = ["lendingadmin.core.staff.permissions.PermissionsBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    # Django's own list of the 20,000 most common passwords.
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "lendingadmin.core.staff.passwords.ContextWordsValidator"},
    {"NAME": "lendingadmin.core.staff.passwords.GuessableValidator"},
    {"NAME": "lendingadmin.core.staff.passwords.AnotherPasswordValidator"},
]
# Seconds for which a set-up link works.
PASSWORD_RESET_TIMEOUT = 24 * 60 * 60
LOGIN_REDIRECT_URL = "/"
LOGIN_URL = "account_login"
ACCOUNT_ADAPTER = "lendingadmin.core.staff.adapter.StaffAdapter"
ACCOUNT_FORMS = {"login": "lendingadmin.core.staff.forms.LoginForm"}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
# `key` is a user name at an address in `login_failed`, and a user name in the last limit. The
# limits for an address are high, because all people of an office may sign in from one address
# within a minute. A sign-in counts as failed while its password is compared, which takes long if
# many people sign in.
_SIGN_INS = read("SIGN_INS_PER_MINUTE", positive_number, "120")
ACCOUNT_RATE_LIMITS = {
    "login": f"{_SIGN_INS}/m/ip",
    "login_failed": f"{-(-_SIGN_INS // 2)}/m/ip,5/5m/key",
    "login_failed_for_name": "50/h/key",
}
ACCOUNT_SESSION_REMEMBER = False
# Seconds for which a sign-in or a confirmation of the person counts as recent.
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"

# The lender's own identity provider. With an issuer, the client's id and secret are required.
OIDC_ISSUER = read("OIDC_ISSUER", service_address_or_none, "")
_REQUIRED = None if OIDC_ISSUER else ""
OIDC_NAME = read("OIDC_NAME", str, "Identity provider")
OIDC_CLIENT_ID = read("OIDC_CLIENT_ID", str, _REQUIRED)
OIDC_CLIENT_SECRET = read("OIDC_CLIENT_SECRET", str, _REQUIRED)
OIDC_SCOPE = read("OIDC_SCOPE", str.split, "openid profile email")
OIDC_GROUPS_CLAIM = read("OIDC_GROUPS_CLAIM", str, "groups")
# The roles are repeated, because settings can't import `staff.roles`, which has translated words.
_read_roles = read_provider_roles(LENDING_APPS, "viewer", "officer", "support", "manager")
# Without an issuer the variable is not read.
OIDC_ROLES = read("OIDC_ROLES", _read_roles) if OIDC_ISSUER and LENDING_APPS else {}
LOCAL_SIGN_IN = read("LOCAL_SIGN_IN", switch, "on")
if not (OIDC_ISSUER or LOCAL_SIGN_IN):
    _problems.append("LOCAL_SIGN_IN: no person could sign in without OIDC_ISSUER")
SOCIALACCOUNT_ADAPTER = "lendingadmin.core.staff.provider.ProviderAdapter"

MFA_ADAPTER = "lendingadmin.core.staff.adapter.EncryptedMFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
TWO_STEP_ROLES = read("TWO_STEP_ROLES", words_or_none, "manager,support,officer")
# The time for the set-up after the first sign-in.
TWO_STEP_GRACE = timedelta(days=7)
MFA_PASSKEY_LOGIN_ENABLED = LOCAL_SIGN_IN
MFA_TOTP_ISSUER = "lendingadmin"
# Clocks of phones are some seconds off, so the codes of the half minutes before and after are
# accepted too.
MFA_TOTP_TOLERANCE = 1
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS

# --- the browser's side --------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SESSION_ENGINE = "lendingadmin.core.staff.sessions"
SESSION_COOKIE_AGE = SESSION_HOURS * 60 * 60
SESSION_COOKIE_SAMESITE = "Lax"
MESSAGE_STORAGE = "lendingadmin.web.message_storage.MessageStorage"
if HTTPS:
    SESSION_COOKIE_NAME = "__Host-sessionid"
    CSRF_COOKIE_NAME = "__Host-csrftoken"
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    # Browsers' own lists hold domains, and the dashboard may share its domain with others.
    SILENCED_SYSTEM_CHECKS = ["security.W021"]
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "lendingadmin.web.static_files.ShrinkingStorage"},
}

# --- what people send ----------------------------------------------------------------------

# Files have personal data, so they are not written to a disk. Their size is limited.
FILE_UPLOAD_HANDLERS = ["lendingadmin.web.uploads.BoundedMemory"]
# An event typed in by hand holds up to 5 MB (Spec: Limits). A form that is not sent in parts writes
# three bytes for each byte that is not a plain letter. A text that is a little longer gets a
# message at its field.
DATA_UPLOAD_MAX_MEMORY_SIZE = 17_000_000

# --- words, times, mail, logs --------------------------------------------------------------

# The default language is English. People choose another one for their pages or for a receipt.
# Numbers and days of forms are the same in all languages.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "Français"), ("sw", "Kiswahili")]
LOCALE_PATHS = [BASE_DIR / "lendingadmin" / "locale"]
FORMAT_MODULE_PATH = "lendingadmin.locale"
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

vars().update(read("EMAIL_URL", mail_server, "consolemail://"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = read(
    "EMAIL_FROM", lambda text: mail_address(text) if text else f"lendingadmin@{_HOST}", ""
)

LOG_FORMAT = read("LOG_FORMAT", one_of("line", "json"), "line")
METRICS_TOKEN = read("METRICS_TOKEN", str, "")
SENTRY_DSN = read("SENTRY_DSN", str, "")
METRICS_DIR = VAR_DIR / "metrics"
# A longer call to the service is a warning in the log.
SLOW_CALL = timedelta(seconds=3)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "bare": {"format": "{message}", "style": "{"},
        "line": {"format": "{asctime} {levelname} {name} {request_id} {message}", "style": "{"},
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "format": "{asctime} {levelname} {name} {request_id} {message}",
            "style": "{",
        },
    },
    "filters": {
        "no_address": {"()": "lendingadmin.web.logs.NoAddress"},
        "one_outage": {"()": "lendingadmin.web.logs.OneOutage"},
        "no_trace": {"()": "lendingadmin.web.logs.NoTraceOfRefusals"},
        "request_id": {"()": "lendingadmin.core.monitoring.request_ids.RequestIdFilter"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["no_address", "one_outage", "no_trace", "request_id"],
        },
        "stdout": {
            "class": "logging.StreamHandler",
            "stream": "ext://sys.stdout",
            "formatter": "bare",
        },
        "nowhere": {"class": "logging.NullHandler"},
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        # Both log two lines each time they look for tasks, which would hide important lines.
        "django_tasks": {"level": "WARNING"},
        "django.tasks": {"level": "WARNING"},  # the same on Django 6
        "django_tasks_db": {"level": "WARNING"},
        "lendingadmin.core.audit.entries": {"handlers": ["stdout"], "propagate": False},
        # mt940 logs each row of a statement that it can't read, with the name of the payer.
        "mt940": {"level": "CRITICAL"},
        # urllib3 logs complete addresses. The client logs every call and its faults without
        # addresses.
        "urllib3": {"handlers": ["nowhere"], "propagate": False},
    },
}

if _problems:
    raise ImproperlyConfigured("\n".join(_problems))
