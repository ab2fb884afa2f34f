"""Table of the service account's token, which all processes share."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import msgspec
from django.db import models
from django.db.models import F

from lendingadmin.core.encryption import EncryptedTextField, bind
from lendingadmin.core.monitoring import metrics
from lendingadmin.lending.tokens import TokenState

# Made only once, because the process crashes if several threads make the first decoder of a type.
_STATES = msgspec.json.Decoder(TokenState)


class ServiceToken(models.Model):
    """TokenState of a service account, encrypted. `version` counts the changes."""

    key = models.CharField(max_length=64, primary_key=True)
    version = models.PositiveIntegerField(default=0)
    encrypted = EncryptedTextField(blank=True, bound_to=["key"])

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"token of {self.key[:8]}"


class DatabaseTokenStore:
    """A TokenStore in one row of the database, for one service account at one issuer.

    Use the store outside a transaction, because other processes do not see a lease until the
    transaction ends. (`add()` of the cache is not a lock: on PostgreSQL, several callers can add an
    expired key at the same time.)
    """

    def __init__(self, auth_url: str, client_id: str, scope: str) -> None:
        account = "\n".join((auth_url, client_id, scope))
        self._key = hashlib.sha256(account.encode()).hexdigest()

    def load(self) -> TokenState:
        """Return the saved state (see TokenStore)."""
        row = ServiceToken.objects.filter(key=self._key).first()
        if row is None:
            return TokenState()
        try:
            state = _STATES.decode(row.encrypted.encode())
        except msgspec.DecodeError:
            # The key was removed, or another version wrote the state. The issuer will give a new
            # token.
            state = TokenState()
        return replace(state, version=row.version)

    def swap(self, before: TokenState, after: TokenState) -> bool:
        """Replace the saved state; return False if it is no longer `before` (see TokenStore)."""
        if not before.version:
            ServiceToken.objects.bulk_create([ServiceToken(key=self._key)], ignore_conflicts=True)
        rows = ServiceToken.objects.filter(key=self._key, version=before.version)
        state = msgspec.json.encode(after).decode()
        changes = bind(ServiceToken(key=self._key), encrypted=state, version=F("version") + 1)
        is_kept = bool(rows.update(**changes))
        if is_kept and after.token and after.token != before.token:
            metrics.TOKENS.inc()
        return is_kept
