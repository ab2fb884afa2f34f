"""The dashboard as a WSGI application: `gunicorn lendingadmin.wsgi`."""

import gc
import os
import time
from threading import Thread

from django.core.wsgi import get_wsgi_application
from django.db import connection

from lendingadmin.web.requests import Utf8Request

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lendingadmin.settings")

_PAUSE = 1.0  # seconds
_WHOLE_EVERY = 5  # pauses


def _collect() -> None:
    """Collect young objects after each pause, and all objects after every fifth pause."""
    turn = 0
    while True:
        time.sleep(_PAUSE)
        turn += 1
        gc.collect(1 if turn % _WHOLE_EVERY else 2)


application = get_wsgi_application()
application.request_class = Utf8Request

# The proxy ends a request after 75 seconds, but its database statements would continue. So a
# statement gets less than half of that time. Commands and the worker have no limit.
database = connection.settings_dict
if connection.vendor == "postgresql":
    database["OPTIONS"]["options"] += " -c statement_timeout=30s"
    # Seconds: a server that hangs does not apply its own limits.
    database["LONGEST_WAIT"] = 35.0

# The loaded modules are never garbage, and a page of loans has fifty thousand objects that are all
# in use. Repeated searches for garbage among these objects took longer than reading the loans.
gc.freeze()
gc.set_threshold(100_000, 20, 20)
if connection.vendor == "sqlite":
    # A cursor that is garbage is closed by the thread that collects it, as soon as the thread of
    # its connection allows that. If that thread waits to write and the collecting thread is the
    # writer, both are blocked until one of them gives up. All other threads wait with them, for up
    # to a minute. So a separate thread collects, which never writes to the database.
    gc.disable()
    Thread(target=_collect, name="garbage", daemon=True).start()
