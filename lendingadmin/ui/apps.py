"""Registers what the areas share, and the configuration checks, with Django."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out


class UiConfig(AppConfig):
    """The app `ui`: what the pages of all areas share."""

    name = "lendingadmin.ui"

    def ready(self) -> None:
        from lendingadmin import checks  # noqa: F401

        from . import autosave

        user_logged_out.connect(autosave.delete_on_sign_out, dispatch_uid="ui.autosave")
