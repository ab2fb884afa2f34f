"""The rights of the area."""

CALL = "dashboard.collections.call"
#: End a stop, and decide on a promise.
DECIDE = "dashboard.collections.decide"
#: Make queues of lists, and say who works on them.
MANAGE_QUEUES = "dashboard.collections.manageQueues"
