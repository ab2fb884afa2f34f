"""Routes of the statement desk under /apps/<app>/."""

from django.urls import path

from .views import allocations, batches, days, entering, records, unallocated

urlpatterns = [
    path("statements/", records.statements, name="statements"),
    path("statements/new", entering.new, name="statement-new"),
    path("statements/covered/", days.calendar, name="statements-covered"),
    path("statements/covered/<str:day>/", days.day, name="statements-day"),
    path("statements/contradictions/", days.both_sides, name="statements-contradictions"),
    path("statements/payers/", allocations.links, name="statement-payers"),
    path(
        "statements/payers/<int:number>/revoke", allocations.revoke, name="statement-payer-revoke"
    ),
    path("statements/unallocated/", unallocated.tray, name="unallocated"),
    path("statements/unallocated/<int:number>/take", unallocated.take, name="unallocated-take"),
    path("statements/unallocated/<int:number>/place", unallocated.place, name="unallocated-place"),
    path("statements/<int:number>/", records.statement, name="statement"),
    path("statements/<int:number>/columns", entering.columns, name="statement-columns"),
    path("statements/<int:number>/days", entering.days, name="statement-days"),
    path("statements/<int:number>/words/", entering.words, name="statement-words"),
    path("statements/<int:number>/export.csv", records.export, name="statement-export"),
    path(
        "statements/<int:number>/rows/<int:position>/record",
        entering.record,
        name="statement-row-record",
    ),
    path("statements/<int:number>/batch/", batches.batch, name="statement-batch"),
    path("statements/<int:number>/batch/begin", batches.begin, name="statement-batch-begin"),
    path(
        "statements/<int:number>/batch/progress",
        batches.batch_progress,
        name="statement-batch-progress",
    ),
    path("statements/<int:number>/batch/accept", batches.accept, name="statement-batch-accept"),
    path("statements/<int:number>/batch/record", batches.record, name="statement-batch-record"),
    path("statements/<int:number>/batch/approve", batches.approve, name="statement-batch-approve"),
    path("statements/<int:number>/batch/stop", batches.stop, name="statement-batch-stop"),
    path("statements/<int:number>/batch/resume", batches.resume, name="statement-batch-resume"),
    path("statements/<int:number>/batch/reopen", batches.reopen, name="statement-batch-reopen"),
    path("statements/<int:number>/batch/export.csv", batches.export, name="statement-batch-export"),
    path(
        "statements/<int:number>/batch/receipts",
        batches.print_receipts,
        name="statement-batch-receipts",
    ),
    path(
        "statements/<int:number>/batch/rows/<int:position>/<int:part>",
        allocations.allocation,
        name="statement-allocation",
    ),
]
