"""Routes of assignments, below /apps/<app>/."""

from django.urls import path

from .views import bulk, hand_overs, officers, rules

_BULK = "collections/assignments/lists/<int:number>/"
_RULES = "collections/assignments/rules/"

urlpatterns = [
    path("collections/assignments/", officers.overview, name="assignments"),
    path("collections/assignments/officers/<int:number>/", officers.borrowers, name="officer-borrowers"),
    path("collections/assignments/borrowers/<key:borrower_id>/", officers.change, name="officer-change"),
    path("collections/assignments/hand-overs/", hand_overs.hand_overs, name="hand-overs"),
    path("collections/assignments/hand-overs/<int:number>/end", hand_overs.end, name="hand-over-end"),
    path("collections/assignments/lists/new", bulk.new, name="bulk-assignment-new"),
    path(_BULK, bulk.show, name="bulk-assignment"),
    path(f"{_BULK}progress", bulk.progress, name="bulk-assignment-progress"),
    path(f"{_BULK}confirm", bulk.confirm, name="bulk-assignment-confirm"),
    path(f"{_BULK}undo", bulk.undo, name="bulk-assignment-undo"),
    path(_RULES, rules.edit, name="assignment-rules"),
    path(f"{_RULES}<int:number>/", rules.preview, name="assignment-rules-preview"),
    path(f"{_RULES}<int:number>/progress", rules.progress, name="assignment-rules-progress"),
]
