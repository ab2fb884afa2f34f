"""Routes of collections under /apps/<app>/."""

from django.urls import path

from .views import calling, deciding, made_queues, queues

urlpatterns = [
    path("collections/", queues.overview, name="collections"),
    path("collections/stops/", deciding.stops, name="call-stops"),
    path("collections/stops/<int:number>/end", deciding.end_stop, name="call-stop-end"),
    path("collections/promises/<int:number>/", deciding.promise, name="promise"),
    path("collections/promises/<int:number>/decide", deciding.decide, name="promise-decide"),
    path("collections/calls/<key:borrower_id>/", calling.call, name="call"),
    path("collections/calls/<key:borrower_id>/begin", calling.begin, name="call-begin"),
    path("collections/calls/<key:borrower_id>/leave", calling.leave, name="call-leave"),
    path("collections/calls/<key:borrower_id>/stop", calling.stop, name="call-do-not-call"),
    path("collections/queues/new", made_queues.new, name="call-queue-new"),
    path("collections/queues/<int:number>/edit", made_queues.edit, name="call-queue-edit"),
    path("collections/queues/<int:number>/retire", made_queues.retire, name="call-queue-retire"),
    path("collections/<slug:key>/", queues.queue, name="queue"),
    path("collections/<slug:key>/next", queues.take_next, name="queue-next"),
]
