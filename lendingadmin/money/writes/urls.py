"""Routes of writes under /apps/<app>/."""

from django.urls import path

from . import views

_ONE = "writes/<slug:idempotency_key>/"

urlpatterns = [
    path(_ONE, views.write, name="write"),
    path(f"{_ONE}status", views.status, name="write-status"),
    path(f"{_ONE}check", views.check, name="write-check"),
    path(f"{_ONE}resolve", views.resolve, name="write-resolve"),
    path(f"{_ONE}alarm", views.mark_alarm_seen, name="write-alarm-seen"),
]
