"""Every address of the dashboard. Each view must declare its access (see web/access.py)."""

from django.contrib import admin
from django.urls import include, path

from lendingadmin.web import health

urlpatterns = [
    # For whoever watches the process.
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    # People, and what they did.
    path("accounts/", include("lendingadmin.staff.urls")),
    path("admin/", admin.site.urls),
    path("audit/", include("lendingadmin.audit.urls")),
    # The areas, in the order of the rail.
]
