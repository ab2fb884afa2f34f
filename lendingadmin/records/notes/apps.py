"""Registers the area with Django: what is erased of notes, and where they stand on a timeline."""

from django.apps import AppConfig


class NotesConfig(AppConfig):
    """The app `notes`: what people write down about a borrower or a loan."""

    name = "lendingadmin.records.notes"

    def ready(self) -> None:
        from lendingadmin.web.timeline import register_source

        from . import erasure, timeline

        erasure.register()
        register_source(timeline.NOTES)
