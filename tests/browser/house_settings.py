"""The product's own settings, for processes whose environment `house.py` makes."""

import os
from datetime import timedelta

from lendingadmin.settings import *  # noqa: F403

# Most tests see the pages that a lender sees.
DEMO = "HOUSE_DEMO" in os.environ
SNAPSHOT_EVERY = PEOPLE_EVERY = timedelta(minutes=int(os.environ.get("HOUSE_EVERY", "10")))
if seconds := os.environ.get("HOUSE_QUIET", ""):
    REPAYMENT_QUIET = timedelta(seconds=int(seconds))
