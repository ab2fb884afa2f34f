"""The dashboard as a WSGI application: `gunicorn lendingadmin.wsgi`."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.db import connection

from lendingadmin.garbage import collect_apart
from lendingadmin.web.requests import Utf8Request

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lendingadmin.settings")

application = get_wsgi_application()
application.request_class = Utf8Request

# The proxy gives a request up after 75 seconds, which its statements do not know: a thread waits
# for less than half of that. Commands and the worker may take as long as they need.
database = connection.settings_dict
if connection.vendor == "postgresql":
    database["OPTIONS"]["options"] += " -c statement_timeout=30s"
    # Seconds: a server that hangs does not apply its own limits.
    database["LONGEST_WAIT"] = 35.0

# What was loaded stays for good, and a page of loans is fifty thousand objects that are all alive:
# looking through them for garbage again and again took longer than reading them.
gc.freeze()
gc.set_threshold(100_000, 20, 20)
if connection.vendor == "sqlite":
    collect_apart()
