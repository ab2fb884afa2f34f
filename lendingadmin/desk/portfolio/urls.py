"""Routes of the home page, and of the lists of the loans and borrowers in a snapshot."""

from django.urls import path

from .views import borrower_lists, home, loan_lists, payment, snapshots

_LISTS = "apps/<slug:app_id>/loans/lists/"

urlpatterns = [
    path("", home.start, name="start"),
    path("apps/<slug:app_id>/", home.home, name="home"),
    path("apps/<slug:app_id>/payment", payment.payment, name="payment"),
    path("apps/<slug:app_id>/book/count", snapshots.count, name="book-count"),
    path("apps/<slug:app_id>/book/stop", snapshots.stop, name="book-stop"),
    path("apps/<slug:app_id>/book/progress", snapshots.progress, name="book-progress"),
    path("apps/<slug:app_id>/borrowers/lists/", borrower_lists.borrower_list, name="borrower-list"),
    path(_LISTS, loan_lists.loan_list, name="loan-list"),
    path(f"{_LISTS}export.csv", loan_lists.export, name="loan-list-export"),
    path(f"{_LISTS}new", loan_lists.save, name="saved-list-new"),
    path(f"{_LISTS}<int:number>/", loan_lists.saved_list, name="saved-list"),
    path(f"{_LISTS}<int:number>/export.csv", loan_lists.export_saved, name="saved-list-export"),
    path(f"{_LISTS}<int:number>/pin", loan_lists.pin, name="saved-list-pin"),
    path(f"{_LISTS}<int:number>/delete", loan_lists.delete, name="saved-list-delete"),
]
