"""The timeline as a Django app."""

from django.apps import AppConfig


class TimelineConfig(AppConfig):
    """The app `timeline`; it stores nothing, and areas register their sources (web/timeline.py)."""

    name = "lendingadmin.records.timeline"
