"""Django app for the journal of repayments."""

from lendingadmin.core import areas


class RepaymentsConfig(areas.AreaConfig):
    name = "lendingadmin.money.repayments"
    badges = (
        "reconciliation.BADGE",
        "services.BADGE",
        "mistakes.BADGE",
        "approvals.BADGE",
        "restoration.BADGE",
    )
    decisions = "decisions.DECISIONS"
    policies = "policies.LIMITS"
    timeline = ("timeline.REPAYMENTS", "timeline.APPROVALS", "timeline.MISTAKES")
    gauges = "reconciliation.GAUGES"
    warnings = "reconciliation.find_late_check"
    stored = "finder.FINDER"
    loan_borrowers = "finder.read_borrowers"
    erasable, kept, tables = "erasure.ERASABLE", "erasure.KEPT", "erasure.TABLES"
    duties = "tasks.beat"
    tasks = ("tasks.check", "tasks.notify")
