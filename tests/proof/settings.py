"""The product's own settings, for processes whose environment `dashboard.py` makes."""

import os
from datetime import timedelta

from lendingadmin.settings import *  # noqa: F403
from lendingadmin.settings import STORAGES

SNAPSHOT_EVERY = PEOPLE_EVERY = timedelta(0)
REPAYMENT_QUIET = timedelta(seconds=int(os.environ["PROOF_QUIET"]))
if folder := os.environ.get("PROOF_STATIC", ""):
    STATIC_ROOT = folder
else:
    # Nothing was collected for this proof, so static files have their plain names.
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
