"""App configuration of assessments: outcomes, duties and tasks."""

from lendingadmin.core import areas


class AssessmentsConfig(areas.AreaConfig):
    name = "lendingadmin.records.assessments"
    outcomes = "outcomes.OUTCOMES"
    kept = "known.KEPT"
    other_case = "known.OTHER_CASE"
    duties = "tasks.beat"
    tasks = ("tasks.walk", "tasks.top_up")
