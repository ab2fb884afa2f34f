"""Registers the area with Django: it stores what people opened last."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    """The app `search`."""

    name = "lendingadmin.search"
