"""The lender's rules as a Django app."""

from lendingadmin.core import areas


class PoliciesConfig(areas.AreaConfig):
    """The manifest of the app."""

    name = "lendingadmin.core.policies"
    policies = ("lender.LENDER", "deciding.SECOND_MANAGER")
    tasks = "tasks.TASKS"
