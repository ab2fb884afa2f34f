"""Settings of the demo: those of a dashboard, and hints for people who try the dashboard."""

import os
from datetime import timedelta

from lendingadmin.demo.environment import PASSWORD
from lendingadmin.settings import *  # noqa: F403

# Sign-in with one click is possible only if everybody knows the password. If other machines can
# reach the demo, the host names that people use are not known.
DEMO = os.environ["DEMO_PASSWORD"] == PASSWORD
if not DEMO:
    ALLOWED_HOSTS = ["*"]
SNAPSHOT_EVERY = PEOPLE_EVERY = timedelta(minutes=10)
