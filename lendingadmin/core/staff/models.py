"""Models of people, roles and waiting changes, and two models for labels of permission names."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser, Group
from django.db import models
from django.db.models.functions import Lower
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway.lending_apps import LendingApp

from . import preferences, roles, usernames

#: Names of the permissions of a role, by app and by role.
HeldRoles = Mapping[str, Mapping[str, frozenset[str]]]
_Set = TypeVar("_Set")
_Get = TypeVar("_Get")


class PersonField(models.ForeignKey[_Set, _Get]):
    """Foreign key to a person.

    A person with such rows can't be deleted, so the author remains known.
    """

    def __init__(self, to: Any = settings.AUTH_USER_MODEL, **options: Any) -> None:
        options.setdefault("on_delete", models.PROTECT)
        options.setdefault("related_name", "+")
        super().__init__(to, **options)

    def deconstruct(self) -> Any:
        """Return the field for migrations as a plain ForeignKey."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, options


class User(AbstractUser):
    """A person who signs in. The person's roles in each app give the rights (`AppRole`).

    `zone`, `language` and `uses_keys` are the person's `preferences`; a blank zone is the lender's
    zone, and a blank language is English. `setup_link_at` is the time when the person's unused
    set-up link was made; null if there is none. If a role requires a second factor, the person may
    work without a factor until `two_step_due_at`. A person who `must_choose_password` can open only
    the page that sets a password, because another person may know the present password.
    `is_set_up_by_one` is True if one manager made the last used set-up link, without a second
    manager. This manager may know the password and may have added a factor.
    """

    username = models.CharField(
        _("user name"),
        max_length=150,
        unique=True,
        validators=[usernames.validate_letters, usernames.validate_not_own],
        error_messages={"unique": _("A person with that user name already exists.")},
    )
    zone = models.CharField(
        _("time zone"),
        max_length=64,
        blank=True,
        default="",
        validators=[preferences.validate_zone],
    )
    language = models.CharField(_("language"), max_length=7, blank=True, default="", db_default="")
    uses_keys = models.BooleanField(_("single-key shortcuts"), default=True, db_default=True)

    # Django's groups and permissions apply in all apps. Roles replace them, because a role applies
    # in one app.
    groups = None  # type: ignore[assignment]
    user_permissions = None  # type: ignore[assignment]

    setup_link_at = models.DateTimeField(null=True, blank=True, editable=False)
    two_step_due_at = models.DateTimeField(null=True, blank=True, editable=False)
    must_choose_password = models.BooleanField(default=False, editable=False)
    is_set_up_by_one = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta(AbstractUser.Meta):
        verbose_name = _("person")  # type: ignore[assignment]
        verbose_name_plural = _("people")  # type: ignore[assignment]
        constraints = [
            # Sign-in ignores case, so two names that differ only by case would mean the same
            # person.
            models.UniqueConstraint(
                Lower("username"),
                name="staff_user_username_any_case",
                violation_error_message=_("A person with that user name already exists."),
            )
        ]

    def __str__(self) -> str:
        return self.username

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.username}>"

    #: Id of the app of the page that the person has open; "" if the page belongs to no app.
    app_id = ""

    if TYPE_CHECKING:

        def has_perm(self, perm: str, obj: Any = None) -> bool:
            """Return True if the person has a right in the app `obj`; see `permissions`."""

    @cached_property
    def held_roles(self) -> HeldRoles:
        """The person's roles by app, each with its rights."""
        return AppRole.read_held([self])[self.pk]

    @property
    def role(self) -> str:
        """Roles in the app of the page, or in all apps: “officer”, or “superuser, night desk”."""
        held = self.held_roles
        apps = [held.get(self.app_id, {})] if self.app_id else held.values()
        words = roles.join_names({name for roles_there in apps for name in roles_there})
        return ", ".join(filter(None, (self._above_roles, words))) or gettext("no role")

    @property
    def _above_roles(self) -> str:
        return gettext("superuser") if self.is_superuser else ""

    @property
    def roles_by_app(self) -> str:
        """The roles by app in words: “kenya: officer; ghana: viewer, support”.

        If the roles are the same in all apps, they are named only once.
        """
        held = self.held_roles
        apps = [app.app_id for app in settings.LENDING_APPS]
        by_app = {app_id: roles.join_names(held[app_id]) for app_id in apps if app_id in held}
        if len(by_app) == len(apps) and len(set(by_app.values())) == 1:
            return self.role
        if not by_app:
            return self.role
        differing = [f"{app_id}: {names}" for app_id, names in by_app.items()]
        return "; ".join(filter(None, (self._above_roles, *differing)))

    @property
    def lending_apps(self) -> list[LendingApp]:
        """Apps in which the person has a role; a superuser has all of them."""
        held = self.held_roles
        return [x for x in settings.LENDING_APPS if self.is_superuser or x.app_id in held]

    def list_apps_with(self, permission: str) -> list[LendingApp]:
        """Return the apps in which the person has this right."""
        return [app for app in settings.LENDING_APPS if self.has_perm(permission, app.app_id)]


class AppRole(models.Model):
    """A role that a person holds in one app."""

    person = models.ForeignKey(User, models.CASCADE, related_name="app_roles")
    app_id = models.CharField(max_length=100)
    role = models.ForeignKey(Group, models.CASCADE, related_name="app_roles")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "app_id", "role"], name="staff_approle_once")
        ]

    def __str__(self) -> str:
        return f"{self.role} in {self.app_id}"

    @classmethod
    def read_held(cls, people: Iterable[User]) -> dict[int, HeldRoles]:
        """Return the roles of each person, in one query for all; {} for a person without roles.

        Apps that LENDING_APPS no longer lists do not count.
        """
        found: dict[int, dict[str, dict[str, set[str]]]] = {person.pk: {} for person in people}
        apps = [app.app_id for app in settings.LENDING_APPS]
        rows = cls.objects.filter(person__in=list(found), app_id__in=apps).values_list(
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


class PersonChange(models.Model):
    """A change to a person that waits, or waited, for a second manager.

    `moves` lists the roles to give or remove, as `["+", app id, key of the role]`, or with `-`. The
    list is empty for other changes. The database refuses an approval by the person who requested
    the change.
    """

    class Kind(models.TextChoices):
        ROLES = "roles", _("roles")
        SECOND_FACTOR = "second-factor", _("remove two-step sign-in")
        SETUP_LINK = "setup-link", _("make a set-up link")

    class State(models.TextChoices):
        WAITING = "waiting", _("To decide")
        APPROVED = "approved", _("Approved")
        DECLINED = "declined", _("Declined")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    person = models.ForeignKey(User, models.PROTECT, related_name="changes")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    moves = models.JSONField(default=list)
    asked_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "kind"],
                condition=models.Q(state="waiting"),
                name="staff_change_waits_once",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="approved")
                | models.Q(decided_by__isnull=False) & ~models.Q(decided_by=models.F("asked_by")),
                name="staff_change_approved_by_another",
            ),
        ]

    def __str__(self) -> str:
        return str(self.get_kind_display())


class LendingRight(models.Model):
    """Model for the label of the permission names `lending.…`; `lending/` does not use Django."""

    class Meta:
        app_label = "lending"
        managed = False
        default_permissions = ()
        permissions = tuple(roles.list_codenames("lending"))

    def __str__(self) -> str:
        return "lending"


class DashboardRight(models.Model):
    """Model for the label of the names `dashboard.…`, which the service does not know."""

    class Meta:
        app_label = "dashboard"
        managed = False
        default_permissions = ()
        permissions = tuple(roles.list_codenames("dashboard"))

    def __str__(self) -> str:
        return "dashboard"
