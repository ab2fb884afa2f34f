"""The timeline as a Django app."""

from django.apps import AppConfig


class TimelineConfig(AppConfig):
    """The app `timeline`, without models. Areas register their sources (web/timeline.py)."""

    name = "lendingadmin.records.timeline"
