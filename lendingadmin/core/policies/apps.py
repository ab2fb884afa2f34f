"""Django app for the lender's rules."""

from lendingadmin.core import areas


class PoliciesConfig(areas.AreaConfig):
    name = "lendingadmin.core.policies"
    policies = ("lender.LENDER", "deciding.SECOND_MANAGER")
    tasks = "tasks.TASKS"
