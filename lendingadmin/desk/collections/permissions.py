"""The rights of the area."""

CALL = "dashboard.collections.call"
#: Right to end a stop and to decide on a promise.
DECIDE = "dashboard.collections.decide"
#: Right to make queues from lists and to choose the people who work on them.
MANAGE_QUEUES = "dashboard.collections.manageQueues"
