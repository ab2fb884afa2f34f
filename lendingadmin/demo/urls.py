"""Address of the file to try. lendingadmin/urls.py has this address only if DEMO is on."""

from django.urls import path

from . import views

urlpatterns = [
    path("apps/<slug:app_id>/demo/this-morning.csv", views.this_morning, name="demo-this-morning")
]
