"""Who may do what (Spec: Scopes and permissions): clients, and what each operation asks for."""

import hmac
from collections.abc import Mapping
from typing import NamedTuple

ALL, LENDING = "platform", "platform.lending"
READ, WRITE = "platform.lending:read", "platform.lending:write"
SCOPES = (ALL, LENDING, READ, WRITE)


class Need(NamedTuple):
    """What one operation asks of a caller: one of the scopes, and the permission."""

    scopes: tuple[str, ...]
    permission: str


class Client(NamedTuple):
    """A service account."""

    client_id: str
    secret: str
    permissions: frozenset[str]

    def has_secret(self, secret: str) -> bool:
        """Whether this is its secret, in constant time."""
        return hmac.compare_digest(self.secret.encode(), secret.encode(errors="replace"))


def _need(resource: str, operation: str, *scopes: str) -> tuple[str, Need]:
    return f"{resource}.{operation}", Need(scopes, f"lending.{resource}.{operation}")


NEEDS: Mapping[str, Need] = dict(
    (
        _need("borrowers", "list", ALL, LENDING, READ),
        _need("borrowers", "create", ALL, LENDING, WRITE),
        _need("borrowers", "get", ALL, LENDING, READ),
        _need("borrowers", "patch", ALL, LENDING, WRITE),
        _need("borrowers", "delete", ALL, LENDING, WRITE),
        _need("borrowers", "getOffers", ALL, LENDING, WRITE),
        _need("borrowers", "getOfferContracts", ALL, LENDING, READ),
        _need("loans", "list", LENDING, READ),
        _need("loans", "create", LENDING, WRITE),
        _need("loans", "get", LENDING, READ),
        _need("loans", "delete", LENDING, WRITE),
        _need("loans", "makeRepayment", LENDING, WRITE),
        _need("assessments", "list", LENDING, READ),
        _need("assessments", "create", LENDING, WRITE),
        _need("assessments", "get", LENDING, READ),
        _need("products", "list", ALL, LENDING, READ),
        _need("events", "list", ALL, LENDING, READ),
        _need("events", "create", LENDING, WRITE),
        _need("assessmentTypes", "list", ALL, LENDING, READ),
    )
)
EVERYTHING = frozenset(need.permission for need in NEEDS.values())


def clients(client_id: str, secret: str, extra: dict[str, Client]) -> dict[str, Client]:
    """The service accounts by id: the one with every permission, and the extra ones."""
    return {client_id: Client(client_id, secret, EVERYTHING), **extra}


def extra_clients(text: str) -> dict[str, Client]:
    """Read `id:secret:permission permission;id:secret:`; raises ValueError."""
    known = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, word, permissions = [*part.split(":", 2), "", ""][:3]
        granted = frozenset(permissions.split())
        if not name or not word or not granted <= EVERYTHING:
            raise ValueError("give id:secret:permission permission;… with the spec's permissions")
        known[name] = Client(name, word, granted)
    return known
