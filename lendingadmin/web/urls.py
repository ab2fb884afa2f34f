"""Routes of what all areas share, below /apps/<app>/."""

from django.urls import path

from . import beside, writepages

_ONE = "writes/<slug:token>/"

urlpatterns = [
    path("beside", beside.beside, name="beside"),
    path(_ONE, writepages.write, name="write"),
    path(f"{_ONE}status", writepages.status, name="write-status"),
    path(f"{_ONE}look", writepages.look, name="write-look"),
    path(f"{_ONE}settle", writepages.settle, name="write-settle"),
]
