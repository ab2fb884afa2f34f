"""Storage of the message for the next page: a cookie, under HTTPS for this host alone."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class HostCookieStorage(CookieStorage):
    """Django's cookie storage; under HTTPS browsers accept its name from this host only."""

    cookie_name = "__Host-messages" if settings.HTTPS else "messages"


class MessageStorage(FallbackStorage):
    """Django's storage: a cookie, and the session for messages too long for a cookie."""

    storage_classes = (HostCookieStorage, SessionStorage)
