"""Registers what the areas share, and the configuration checks, with Django."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """The app `web`."""

    name = "lendingadmin.web"

    def ready(self) -> None:
        from lendingadmin import checks  # noqa: F401
