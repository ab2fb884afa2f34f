"""Django app for the pages of settings."""

from lendingadmin.core import areas


class SettingsConfig(areas.AreaConfig):
    name, label = "lendingadmin.office.policies", "policies_pages"
    decisions = "services.DECISION"
