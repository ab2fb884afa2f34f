"""Storage of the messages for the next page. Under HTTPS their cookie is for this host only."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class HostCookieStorage(CookieStorage):
    """Django's cookie storage; under HTTPS only this host can set a cookie with this name."""

    cookie_name = "__Host-messages" if settings.HTTPS else "messages"


class MessageStorage(FallbackStorage):
    """Django's storage in a cookie, or in the session if messages are too long for a cookie."""

    storage_classes = (HostCookieStorage, SessionStorage)
