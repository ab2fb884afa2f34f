"""Routes of the statement desk, below /apps/<app>/."""

from django.urls import path

from .views import entering, records

urlpatterns = [
    path("statements/", records.statements, name="statements"),
    path("statements/new", entering.new, name="statement-new"),
    path("statements/<int:number>/", records.statement, name="statement"),
    path("statements/<int:number>/columns", entering.columns, name="statement-columns"),
    path("statements/<int:number>/days", entering.days, name="statement-days"),
    path("statements/<int:number>/export.csv", records.export, name="statement-export"),
    path(
        "statements/<int:number>/rows/<int:position>/record",
        entering.record,
        name="statement-row-record",
    ),
]
