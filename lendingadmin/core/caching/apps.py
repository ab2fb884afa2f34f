"""Django app for the table of the cache."""

from django.apps import AppConfig


class CachingConfig(AppConfig):
    name = "lendingadmin.core.caching"
