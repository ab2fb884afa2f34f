"""Django app for the index of people."""

from lendingadmin.core import areas


class PeopleIndexConfig(areas.AreaConfig):
    name, label = "lendingadmin.people.index", "people_index"
    gauges = "find.AGE"
    erasable = "cards.ERASABLE"
    duties = "tasks.beat"
    tasks = ("tasks.walk", "tasks.top_up")
