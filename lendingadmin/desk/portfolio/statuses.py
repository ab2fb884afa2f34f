"""Status numbers of loans in the newest snapshots, for the setting of their words."""

from collections.abc import Iterable, Mapping

from django.conf import settings

from lendingadmin.web.policies import LOAN, PERFORMANCE

from .figures import OTHER_KINDS, Figures
from .snapshot_job import find_newest


def list_seen() -> Mapping[str, Iterable[str]]:
    """Return the status numbers of loans and of their performance, in all apps."""
    found = [find_newest(app.app_id) for app in settings.LENDING_APPS]
    figures = [Figures.from_json(one.figures) for one in found if one and one.figures]
    return {
        LOAN: {key for one in figures for key in one.statuses},
        PERFORMANCE: {key for one in figures for key in one.performance if key != OTHER_KINDS},
    }
