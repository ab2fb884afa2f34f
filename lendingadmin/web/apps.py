"""Registers what the areas share, and the configuration checks, with Django."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out


class WebConfig(AppConfig):
    """The app `web`."""

    name = "lendingadmin.web"

    def ready(self) -> None:
        from lendingadmin import checks  # noqa: F401
        from lendingadmin.background import duties

        from . import tasks, typed

        user_logged_out.connect(typed.signed_out, dispatch_uid="web.typed")
        duties.lend(tasks.beat, tasks.follow_writes, tasks.tidy)
