"""Django app for collection sheets: printed lists that come back with amounts."""

from lendingadmin.core import areas


class SheetsConfig(areas.AreaConfig):
    name = "lendingadmin.desk.sheets"
    badges, decisions = "services.BADGE", "services.DECISION"
    stored = "services.FINDER"
    erasable, kept = "erasure.ERASABLE", "erasure.KEPT"
    policies = "policies.LATE_SHEETS"
