"""The product's own settings, for processes of tests in which nothing is read by the clock."""

from datetime import timedelta

from lendingadmin.settings import *  # noqa: F403

SNAPSHOT_EVERY = PEOPLE_EVERY = timedelta(0)
