"""The product's own settings, in an environment made for tests."""

import os
from datetime import timedelta

os.environ.update(
    {
        "LENDING_BASE_URL": "http://127.0.0.1:9",
        "LENDING_CLIENT_ID": "sandbox",
        "LENDING_CLIENT_SECRET": "sandbox-secret",
        "LENDING_PROJECT_ID": "demo",
        "LENDING_APPS": "kenya:KES:Africa/Nairobi,ghana:GHS:Africa/Accra",
        "SECRET_KEY": "tests-only",
        "DATA_KEYS": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubP8=",  # pragma: allowlist secret
        "PEOPLE_KEYS": "cGVvcGxlLXRlc3RzLXBlb3BsZS10ZXN0cy1wZW9wbP8=",  # pragma: allowlist secret
        "DASHBOARD_URL": "http://testserver",
        "TWO_STEP_ROLES": "none",
        "AUDIT_ANCHOR": "none",
    }
)

from lendingadmin.settings import *  # noqa: F403
from lendingadmin.settings import DATABASES, STORAGES

ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
SNAPSHOT_EVERY = PEOPLE_EVERY = timedelta(0)
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
# Nothing is served from files, so no test looks at what a running demo collects.
STATIC_ROOT = None  # type: ignore[assignment]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# No test pulls the plug, so none waits for the disk.
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
    )
else:
    DATABASES["default"]["OPTIONS"]["options"] += " -c synchronous_commit=off"
