"""Everything the sandbox answers: the API, and errors in its own form."""

from django.urls import path

from lendingadmin.sandbox.api import api

handler400 = "lendingadmin.sandbox.api.errors.bad_request"
handler404 = "lendingadmin.sandbox.api.errors.no_such_path"
handler500 = "lendingadmin.sandbox.api.errors.server_error"

urlpatterns = [path("", api.urls)]
