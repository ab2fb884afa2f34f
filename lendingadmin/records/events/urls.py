"""Routes of events under /apps/<app>/.

An event is unique by account id, type and timestamp (Spec: Events), so its address has all three.
"""

from django.urls import path

from . import views

_ONE = "events/<key:account_id>/<key:event_type>/<key:timestamp>/"

urlpatterns = [
    path("events/", views.events, name="events"),
    path("events/export.csv", views.export, name="events-export"),
    path("events/reported", views.reported_kinds, name="events-reported"),
    path("events/new", views.new, name="event-new"),
    path("events/new/<str:form>", views.confirm, name="event-confirm"),
    path(_ONE, views.event, name="event"),
    path(f"{_ONE}revealed", views.reveal, name="event-reveal"),
]
