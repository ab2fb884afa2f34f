"""The demo's settings: those of a dashboard, with hints for people who try it."""

import os
from datetime import timedelta

from lendingadmin.demo.environment import PASSWORD
from lendingadmin.settings import *  # noqa: F403

# Sign-in with one click, only where everybody knows the password. Where other machines reach the
# demo, the host names that people use are not known.
DEMO = os.environ["DEMO_PASSWORD"] == PASSWORD
if not DEMO:
    ALLOWED_HOSTS = ["*"]
SNAPSHOT_EVERY = PEOPLE_EVERY = timedelta(minutes=10)
