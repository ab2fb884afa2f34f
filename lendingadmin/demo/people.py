"""The demo's people: one for each role, all with the same password."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from lendingadmin.core.staff.roles import ROLES
from lendingadmin.web import checks


class NotLoopback(Exception):
    """The service is on another machine: a real one may be behind it."""


def make_people(password: str, service: str) -> None:
    """Make the four people, each with their role in every app, or give them this password again.

    Raises NotLoopback unless the service's address is on this machine: everybody knows these
    names and the password.
    """
    if not checks.is_loopback(urlsplit(service).hostname or ""):
        raise NotLoopback(f"No demo people are made beside the service at {service}.")
    for name in ROLES:
        _make(name, password)


def _make(name: str, password: str) -> None:
    # Mail of the demo is printed, and only managers get any: it needs an address to go to.
    address = "manager@example.com" if name == "manager" else ""
    person, _ = get_user_model().objects.get_or_create(username=name, defaults={"email": address})
    if not person.check_password(password):
        person.set_password(password)
        person.save()
    role = Group.objects.get(name=name)
    for app in settings.LENDING_APPS:
        person.app_roles.get_or_create(app_id=app.app_id, role=role)
