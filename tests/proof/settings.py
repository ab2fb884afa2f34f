"""The product's own settings, for processes whose environment `dashboard.py` makes."""

from lendingadmin.settings import *  # noqa: F403
from lendingadmin.settings import STORAGES, env

if folder := env.str("PROOF_STATIC", default=""):
    STATIC_ROOT = folder
else:
    # Nothing was collected for this proof, so static files have their plain names.
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
