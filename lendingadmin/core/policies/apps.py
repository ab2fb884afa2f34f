"""The lender's rules as a Django app."""

from lendingadmin.core import areas


class PoliciesConfig(areas.AreaConfig):
    name = "lendingadmin.core.policies"
    policies = ("lender.LENDER", "deciding.SECOND_MANAGER")
    tasks = "tasks.TASKS"
