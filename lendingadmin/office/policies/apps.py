"""The pages of settings as a Django app."""

from lendingadmin.core import areas


class SettingsConfig(areas.AreaConfig):
    """The manifest of the app."""

    name, label = "lendingadmin.office.policies", "policies_pages"
    decisions = "decisions.DECISION"
