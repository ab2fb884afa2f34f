"""The caches' table as a Django app."""

from django.apps import AppConfig


class CachingConfig(AppConfig):
    name = "lendingadmin.core.caching"
