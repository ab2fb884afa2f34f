"""Addresses of the sandbox: the API, the files of its page, and errors in the form of the API."""

from pathlib import Path

import ninja
from django.urls import path
from django.views.static import serve

from lendingadmin.sandbox.api import api

handler400 = "lendingadmin.sandbox.api.errors.bad_request"
handler404 = "lendingadmin.sandbox.api.errors.no_such_path"
handler500 = "lendingadmin.sandbox.api.errors.server_error"

_FILES = Path(ninja.__file__).parent / "static" / "ninja"

urlpatterns = [
    path("static/ninja/<str:path>", serve, {"document_root": _FILES}),
    path("", api.urls),
]
