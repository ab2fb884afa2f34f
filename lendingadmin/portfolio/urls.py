"""Routes of the desk."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.home, name="home"),
    path("apps/<slug:app_id>/", views.desk, name="desk"),
    path("apps/<slug:app_id>/book/count", views.count, name="book-count"),
    path("apps/<slug:app_id>/book/stop", views.stop, name="book-stop"),
    path("apps/<slug:app_id>/book/progress", views.progress, name="book-progress"),
    path("apps/<slug:app_id>/book/<int:number>/", views.loans, name="book-loans"),
]
