"""Routes of the events area, below /apps/<app>/.

An event is told by its account id, type and timestamp (Spec: Events), so its address has all three.
"""

from django.urls import path

from . import outcomes, reporting, views

_ONE = "events/<key:account_id>/<key:event_type>/<key:timestamp>/"

urlpatterns = [
    path("events/", views.events, name="events"),
    path("events/export.csv", views.export, name="events-export"),
    path("events/new", reporting.new, name="event-new"),
    path("events/new/<str:form>", reporting.confirm, name="event-confirm"),
    path(_ONE, views.event, name="event"),
    path(f"{_ONE}revealed", views.reveal, name="event-reveal"),
]

outcomes.lend_ways()
