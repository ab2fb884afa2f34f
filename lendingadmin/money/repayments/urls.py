"""Routes of repayments under /apps/<app>/."""

from django.urls import path

from .views import approving, dayend, exporting, journal, recording, restoring

urlpatterns = [
    path("loans/<key:account_id>/repayments/new", recording.new, name="repayment-new"),
    path(
        "borrowers/<key:borrower_id>/repayments/new",
        recording.choose_loan,
        name="borrower-repayment",
    ),
    path(
        "loans/<key:account_id>/repayments/<slug:idempotency_key>/confirm",
        recording.confirm,
        name="repayment-confirm",
    ),
    path("repayments/", journal.journal, name="repayments"),
    path("repayments/export.csv", exporting.export, name="repayments-export"),
    path("repayments/day/", dayend.day, name="repayments-day"),
    path("repayments/day/count", dayend.count, name="repayments-day-count"),
    path("repayments/day/export.csv", dayend.export, name="repayments-day-export"),
    path("repayments/unknown/", journal.needs_checking, name="needs-checking"),
    path("repayments/restored/", restoring.gap, name="repayments-restored"),
    path("repayments/<int:number>/", journal.receipt, name="repayment"),
    path("repayments/<int:number>/status", journal.status, name="repayment-status"),
    path("repayments/<int:number>/print", journal.print_receipt, name="repayment-print"),
    path("repayments/<int:number>/check", journal.check, name="repayment-check"),
    path("repayments/<int:number>/approve", approving.approve, name="repayment-approve"),
    path("repayments/<int:number>/decline", journal.decline, name="repayment-decline"),
    path("repayments/<int:number>/resolve", journal.resolve, name="repayment-resolve"),
    path("repayments/<int:number>/set-aside", journal.set_aside, name="repayment-set-aside"),
    path("repayments/<int:number>/alarm", journal.alarm_seen, name="repayment-alarm-seen"),
    path("repayments/<int:number>/report", journal.report_mistake, name="mistake-report"),
    path(
        "repayments/<int:number>/mistakes/<int:mistake_id>/review",
        journal.review_mistake,
        name="mistake-review",
    ),
]
