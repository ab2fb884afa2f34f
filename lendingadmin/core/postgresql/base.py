"""Django's backend of PostgreSQL, which gives up a server that says nothing.

The server's own limits (`statement_timeout`) end a statement that takes long. A server that hangs,
or a network that swallows what it says, keeps to none of them, and would hold every thread for as
long as that lasts.
"""

from types import ModuleType
from typing import Any, TypeVar

import psycopg
from django.db.backends.postgresql import base
from psycopg.abc import PQGen

Result = TypeVar("Result")

# Seconds. Is a connection that is kept still good? A server that is busy says so by then.
_LONGEST_LOOK = 3.0


class Connection(psycopg.Connection[Any]):
    """Waits for an answer no longer than `longest_wait` (seconds; None: for ever)."""

    longest_wait: float | None = None

    def wait(
        self, gen: PQGen[Result], interval: float = 0.1, timeout: float | None = None
    ) -> Result:
        """Run `gen`. Raises psycopg.OperationalError when the time is over, and then the
        connection is closed: what comes on it later would be taken for another answer.
        """
        longest = self.longest_wait if timeout is None else timeout
        try:
            return super().wait(gen, interval, longest)
        except psycopg.errors._WaitTimeout:
            self.pgconn.finish()
            raise


# The driver as Django calls it, with these connections.
_driver = ModuleType(psycopg.__name__)
vars(_driver).update(vars(psycopg), connect=Connection.connect)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with the setting LONGEST_WAIT (seconds) for one statement of a connection."""

    Database = _driver

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect; the driver's `connect_timeout` says how long that may take."""
        connection = super().get_new_connection(conn_params)
        connection.longest_wait = self.settings_dict.get("LONGEST_WAIT")
        return connection

    def is_usable(self) -> bool:
        """Whether the server answers on this connection, and soon."""
        if self.connection is None:
            return False
        longest, self.connection.longest_wait = self.connection.longest_wait, _LONGEST_LOOK
        try:
            return super().is_usable()
        finally:
            self.connection.longest_wait = longest
