"""Sessions in the database under a hash of their key: a copy of the database signs nobody in."""

from hashlib import blake2b
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone


def hash_session_key(key: str | None) -> str:
    """What stands in the database for the key that the cookie holds."""
    return blake2b((key or "").encode(), digest_size=20).hexdigest()


class SessionStore(DatabaseSessionStore):
    """Django's, but the key itself stands in the cookie alone."""

    def exists(self, session_key: str) -> bool:
        """Whether there is a session of this key."""
        return super().exists(hash_session_key(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        """The row to save."""
        row = super().create_model_instance(data)
        row.session_key = hash_session_key(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        """End the session of this key, or this one."""
        if key := session_key or self.session_key:
            super().delete(hash_session_key(key))

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        rows = self.model.objects.filter(expire_date__gt=timezone.now())
        row = rows.filter(session_key=hash_session_key(self.session_key)).first()
        if row is None:
            self._session_key = None
        return row
