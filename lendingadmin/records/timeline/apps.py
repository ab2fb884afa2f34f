"""Registers the area with Django."""

from django.apps import AppConfig


class TimelineConfig(AppConfig):
    """The app `timeline`; it stores nothing, and areas register their sources (web/timeline.py)."""

    name = "lendingadmin.records.timeline"
