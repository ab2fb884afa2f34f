"""Routes of what all areas share, below /apps/<app>/."""

from django.urls import path

from . import neighbours

urlpatterns = [path("neighbours", neighbours.neighbours, name="neighbours")]
