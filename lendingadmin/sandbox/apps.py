"""The sandbox as a Django app of its own project."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    """Label `sandbox`; its tables live in the sandbox's own database."""

    name = "lendingadmin.sandbox"
    label = "sandbox"
    default_auto_field = "django.db.models.BigAutoField"
