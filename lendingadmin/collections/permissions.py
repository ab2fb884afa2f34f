"""The rights of the area."""

CALL = "dashboard.collections.call"
#: End a stop, and say how a promise stands.
DECIDE = "dashboard.collections.decide"
