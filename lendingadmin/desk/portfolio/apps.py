"""Django app for snapshots of all loans, and lists of these loans."""

from lendingadmin.core import areas


class PortfolioConfig(areas.AreaConfig):
    name = "lendingadmin.desk.portfolio"
    groups = "saved_lists.PINNED"
    gauges = "snapshot_job.AGE"
    kept = "loan_ids.KEPT"
    duties = "tasks.beat"
    tasks = ("tasks.count", "tasks.prepare_lists", "tasks.prune")
    statuses = "snapshot_job.list_seen"
    open_loans = "open_loans.READER"
    other_case = "loan_ids.OTHER_CASE"
    loan_borrowers = "loan_ids.read_borrowers"
