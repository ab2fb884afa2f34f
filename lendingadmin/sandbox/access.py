"""Access rules (Spec: Scopes and permissions): clients, and the rights that an operation needs."""

import hmac
from collections.abc import Iterable, Mapping
from typing import NamedTuple

ALL, LENDING = "platform", "platform.lending"
READ, WRITE = "platform.lending:read", "platform.lending:write"
SCOPES = (ALL, LENDING, READ, WRITE)


class Need(NamedTuple):
    """Rights that an operation needs: one of the scopes, and the permission."""

    scopes: tuple[str, ...]
    permission: str


class Client(NamedTuple):
    """A service account."""

    client_id: str
    secret: str
    permissions: frozenset[str]

    def has_secret(self, secret: str) -> bool:
        """Return True if this is the client's secret. The comparison takes constant time."""
        return hmac.compare_digest(self.secret.encode(), secret.encode(errors="replace"))


_SCOPES_OF = {
    "borrowers.list": (ALL, LENDING, READ),
    "borrowers.create": (ALL, LENDING, WRITE),
    "borrowers.get": (ALL, LENDING, READ),
    "borrowers.patch": (ALL, LENDING, WRITE),
    "borrowers.delete": (ALL, LENDING, WRITE),
    "borrowers.getOffers": (ALL, LENDING, WRITE),
    "borrowers.getOfferContracts": (ALL, LENDING, READ),
    "loans.list": (LENDING, READ),
    "loans.create": (LENDING, WRITE),
    "loans.get": (LENDING, READ),
    "loans.delete": (LENDING, WRITE),
    "loans.makeRepayment": (LENDING, WRITE),
    "assessments.list": (LENDING, READ),
    "assessments.create": (LENDING, WRITE),
    "assessments.get": (LENDING, READ),
    "products.list": (ALL, LENDING, READ),
    "events.list": (ALL, LENDING, READ),
    "events.create": (LENDING, WRITE),
    "assessmentTypes.list": (ALL, LENDING, READ),
}
NEEDS: Mapping[str, Need] = {
    name: Need(scopes, f"lending.{name}") for name, scopes in _SCOPES_OF.items()
}
EVERYTHING = frozenset(need.permission for need in NEEDS.values())


def build_clients(more: Iterable[Client]) -> dict[str, Client]:
    """Return the service accounts by id: `sandbox` with every permission, and those in `more`."""
    return {one.client_id: one for one in (Client("sandbox", "sandbox-secret", EVERYTHING), *more)}


def read_client(text: str) -> Client:
    """Read a client such as `id:secret:permission permission`; `id:secret` has every permission.

    Raise ValueError for other text and for unknown permissions.
    """
    parts = text.split(":", 2)
    name, word = (*parts, "")[:2]
    granted = frozenset(parts[2].split()) if len(parts) == 3 else EVERYTHING
    if not name or not word or not granted <= EVERYTHING:
        raise ValueError("give id:secret or id:secret:permission permission…")
    return Client(name, word, granted)
