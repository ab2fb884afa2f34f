"""Django app for the timeline."""

from django.apps import AppConfig


class TimelineConfig(AppConfig):
    """The app `timeline`, without models. Other areas register their sources (web/timeline.py)."""

    name = "lendingadmin.records.timeline"
