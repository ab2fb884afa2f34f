"""Formats in forms as in English, because the dashboard writes days and amounts in its own way.

Swahili needs no such file, because Django has no formats for it.
"""

from django.conf.locale.en.formats import *  # type: ignore[import-untyped]  # noqa: F403
