"""Where the sentence that the next page shows waits: a cookie, under HTTPS of this host alone."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class HostCookieStorage(CookieStorage):
    """Django's, under a name that browsers take from this host over HTTPS only."""

    cookie_name = "__Host-messages" if settings.HTTPS else "messages"


class MessageStorage(FallbackStorage):
    """Django's: a cookie, and the session for what is too long for one."""

    storage_classes = (HostCookieStorage, SessionStorage)
