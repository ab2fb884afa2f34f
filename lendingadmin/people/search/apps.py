"""Last opened records of people, and counts of searches, as a Django app."""

from lendingadmin.core import areas


class SearchConfig(areas.AreaConfig):
    name = "lendingadmin.people.search"
    erasable = "opened.ERASABLE"
    duties = "counts.audit_counts"
