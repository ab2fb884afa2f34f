"""Routes of events under /apps/<app>/.

An event is unique by account id, type and timestamp (Spec: Events), so its address has all three.
"""

from django.urls import path

from .views import records, reporting

_ONE = "events/<key:account_id>/<key:event_type>/<key:timestamp>/"

urlpatterns = [
    path("events/", records.events, name="events"),
    path("events/export.csv", records.export, name="events-export"),
    path("events/reported", records.reported_kinds, name="events-reported"),
    path("events/new", reporting.new, name="event-new"),
    path("events/new/<str:form>", reporting.confirm, name="event-confirm"),
    path(_ONE, records.event, name="event"),
    path(f"{_ONE}revealed", records.reveal, name="event-reveal"),
]
