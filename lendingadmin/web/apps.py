"""Registers what the areas share, and the configuration checks, with Django."""

from django.apps import AppConfig
from django.db.models import Q
from django.urls import register_converter
from django.utils import timezone
from django.utils.translation import gettext_noop as _


class UiConfig(AppConfig):
    """The app `ui`: what the pages of all areas share."""

    name, label = "lendingadmin.web", "ui"

    def ready(self) -> None:
        from lendingadmin.core.staff.retention import register_table
        from lendingadmin.web import checks  # noqa: F401

        from . import models
        from .converters import KeyConverter

        register_table(
            _("unfinished forms"),
            "ui.Draft",
            find_over=lambda: Q(created_at__lt=timezone.now() - models.Draft.KEPT_FOR),
        )

        register_converter(KeyConverter, "key")
