"""Routes of the desk."""

from django.urls import path

from lendingadmin.web import beside

from . import book_views, views
from .beside import ROUTE, neighbours

urlpatterns = [
    path("", views.home, name="home"),
    path("apps/<slug:app_id>/", views.desk, name="desk"),
    path("apps/<slug:app_id>/book/count", book_views.count, name="book-count"),
    path("apps/<slug:app_id>/book/stop", book_views.stop, name="book-stop"),
    path("apps/<slug:app_id>/book/progress", book_views.progress, name="book-progress"),
    path("apps/<slug:app_id>/book/<int:number>/", book_views.loans, name=ROUTE),
]

beside.lend(ROUTE, neighbours)
