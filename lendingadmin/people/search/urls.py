"""Routes of the search under /apps/<app>/."""

from django.urls import path

from . import views

urlpatterns = [
    path("find", views.search, name="find"),
    path("find/last", views.last_opened, name="find-last"),
    path("find/suggest", views.suggest, name="find-suggest"),
    path("find/for/<str:encrypted>", views.results, name="find-results"),
    path("find/for/<str:encrypted>/in/<slug:place>", views.search_in, name="find-in"),
]
