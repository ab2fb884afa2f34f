"""Routes of the desk."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.home, name="home"),
    path("apps/<slug:app_id>/", views.desk, name="desk"),
]
