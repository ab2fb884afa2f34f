"""Django app for last opened records and for counts of searches."""

from lendingadmin.core import areas


class SearchConfig(areas.AreaConfig):
    name = "lendingadmin.people.search"
    erasable = "opened.ERASABLE"
    duties = "counts.audit_counts"
