"""Django app for papers for customers."""

from lendingadmin.core import areas


class PapersConfig(areas.AreaConfig):
    """The manifest of the app."""

    name = "lendingadmin.desk.papers"
    timeline = "timeline.PAPERS"
    erasable, kept = "erasure.ERASABLE", "erasure.KEPT"
    gauges = "bulk.MOVED"
    duties, tasks = "tasks.beat", "tasks.make_papers"
