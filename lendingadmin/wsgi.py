"""The dashboard as a WSGI application: `gunicorn lendingadmin.wsgi`."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lendingadmin.settings")

application = get_wsgi_application()

# What was loaded stays for good, and a page of loans is fifty thousand objects that are all alive:
# looking through them for garbage again and again took longer than reading them.
gc.freeze()
gc.set_threshold(100_000, 20, 20)
