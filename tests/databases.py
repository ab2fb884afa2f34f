"""The database of a test, for the processes that it starts."""

from django.db import connection


def database_url() -> str:
    """The address of the database that this test runs on, for another process."""
    known = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{known['NAME']}"
    login = known["USER"] + (f":{known['PASSWORD']}" if known["PASSWORD"] else "")
    place = known["HOST"] + (f":{known['PORT']}" if known["PORT"] else "")
    return f"postgres://{login}@{place}/{known['NAME']}"
