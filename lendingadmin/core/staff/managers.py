"""How the roles that people hold in the apps are read."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models

if TYPE_CHECKING:
    from .models import AppRole, User

    _AppRoles = models.Manager[AppRole]
else:
    _AppRoles = models.Manager

#: By app and by role: the names of the permissions that the role holds.
HeldRoles = Mapping[str, Mapping[str, frozenset[str]]]


class AppRoleManager(_AppRoles):
    """Reads roles with what they allow."""

    def read_held(self, people: "Iterable[User]") -> dict[int, HeldRoles]:
        """The roles that each person holds, of all the people in one query; {} where none.

        Apps that LENDING_APPS no longer lists count for nothing.
        """
        found: dict[int, dict[str, dict[str, set[str]]]] = {person.pk: {} for person in people}
        apps = [app.app_id for app in settings.LENDING_APPS]
        rows = self.filter(person__in=list(found), app_id__in=apps).values_list(
            *("person_id", "app_id", "role__name"),
            *("role__permissions__content_type__app_label", "role__permissions__codename"),
        )
        for key, app_id, role, label, codename in rows:
            names = found[key].setdefault(app_id, {}).setdefault(role, set())
            if codename is not None:
                names.add(f"{label}.{codename}")
        return {
            key: {
                app_id: {role: frozenset(names) for role, names in roles.items()}
                for app_id, roles in apps.items()
            }
            for key, apps in found.items()
        }
