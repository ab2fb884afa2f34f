"""Django's backend of PostgreSQL, with a limit for the time that a server may take to answer."""

from types import ModuleType
from typing import Any, TypeVar

import psycopg
from django.db.backends.postgresql import base
from psycopg.abc import PQGen

Result = TypeVar("Result")

# Seconds in which a reused connection must answer a test. Even a busy server answers within this
# time.
_LONGEST_LOOK = 3.0


class Connection(psycopg.Connection[Any]):
    """Connection that waits at most `longest_wait` seconds for an answer; None sets no limit."""

    longest_wait: float | None = None

    def wait(
        self, gen: PQGen[Result], interval: float = 0.1, timeout: float | None = None
    ) -> Result:
        """Run the generator `gen`.

        Raise psycopg.OperationalError if this takes longer than the limit. The connection is then
        closed. Otherwise a late answer could be read as the answer to the next query.
        """
        longest = self.longest_wait if timeout is None else timeout
        try:
            return super().wait(gen, interval, longest)
        except psycopg.errors._WaitTimeout:
            self.pgconn.finish()
            raise


# A copy of the driver's module, whose `connect` makes these connections.
_driver = ModuleType(psycopg.__name__)
vars(_driver).update(vars(psycopg), connect=Connection.connect)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper, with the setting LONGEST_WAIT: the maximum seconds for one statement."""

    Database = _driver

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a new connection; the driver's `connect_timeout` limits the time."""
        connection = super().get_new_connection(conn_params)
        connection.longest_wait = self.settings_dict.get("LONGEST_WAIT")
        return connection

    def is_usable(self) -> bool:
        """Return True if the server answers on this connection within three seconds."""
        if self.connection is None:
            return False
        longest, self.connection.longest_wait = self.connection.longest_wait, _LONGEST_LOOK
        try:
            return super().is_usable()
        finally:
            self.connection.longest_wait = longest
