"""Routes of notes under /apps/<app>/."""

from django.urls import path

from . import views

urlpatterns = [
    path("borrowers/<key:borrower_id>/notes/new", views.new_of_borrower, name="borrower-note-new"),
    path("loans/<key:account_id>/notes/new", views.new_of_loan, name="loan-note-new"),
    path("notes/<int:number>/", views.note, name="note"),
    path("notes/<int:number>/revise", views.revise, name="note-revise"),
    path("notes/<int:number>/pin", views.pin, name="note-pin"),
    path("notes/<int:number>/delete", views.delete, name="note-delete"),
    path("notes/<int:number>/seen", views.seen, name="note-seen"),
]
