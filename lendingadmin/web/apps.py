"""Django app for shared parts of the pages of all areas."""

from django.urls import register_converter

from lendingadmin.core import areas


class UiConfig(areas.AreaConfig):
    name, label = "lendingadmin.web", "ui"
    tables = "models.TABLES"
    policies = ("quotas.QUOTAS", "policies.STATUS_WORDS")

    def ready(self) -> None:
        """Register the configuration checks, and the converter of ids in addresses."""
        from . import checks  # noqa: F401
        from .converters import KeyConverter

        register_converter(KeyConverter, "key")
