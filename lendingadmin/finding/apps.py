"""Registers the area with Django: it stores what people opened last."""

from django.apps import AppConfig


class FindingConfig(AppConfig):
    """The app `finding`."""

    name = "lendingadmin.finding"
