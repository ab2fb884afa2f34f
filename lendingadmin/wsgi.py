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
    collect_apart()
