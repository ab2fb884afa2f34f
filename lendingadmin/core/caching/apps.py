"""The caches' table as a Django app."""

from django.apps import AppConfig


class CachingConfig(AppConfig):
    """The app `caching`."""

    name = "lendingadmin.core.caching"
