"""Forms take and show values as in English: the house writes its own days and amounts."""

from django.conf.locale.en.formats import *  # type: ignore[import-untyped]  # noqa: F403
