"""Registers the people of the dashboard with Django."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class StaffConfig(AppConfig):
    """The app `staff`: updates the roles after each migrate, and audits sign-ins."""

    name = "lendingadmin.core.staff"
    verbose_name = _("People")

    def ready(self) -> None:
        from lendingadmin.core.staff import retention, signals, tasks, throttling
        from lendingadmin.core.staff.sync import sync_roles
        from lendingadmin.core.worker.duties import register_duty

        post_migrate.connect(sync_roles, sender=self, dispatch_uid="staff.sync_roles")
        signals.connect_all()
        throttling.count_by_ourselves()
        retention.register_own()
        mail = (tasks.tell_managers, tasks.tell_of_guessing, tasks.tell_of_mass_reading)
        register_duty(tasks.beat, tasks.erase_old, tasks.prune, tasks.tell_person, *mail)
