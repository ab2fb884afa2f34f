"""Django app for assignments of borrowers to officers."""

from lendingadmin.core import areas


class AssignmentsConfig(areas.AreaConfig):
    name = "lendingadmin.desk.assignments"
    erasable = "erasure.ERASABLE"
    duties = "tasks.beat"
    tasks = ("tasks.assign_list", "tasks.follow_rules", "tasks.begin_walks")
