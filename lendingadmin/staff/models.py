"""The user model, and the two labels that carry the dashboard's permission names."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from . import preferences, roles, usernames


class User(AbstractUser):
    """A person who signs in. What they may do comes from their groups (see `roles`).

    `zone` and `locale` are their `preferences`; blank is the lender's zone and the dashboard's own
    locale. `setup_link_at` is when the set-up link was made that they have not used yet, if any.
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
    locale = models.CharField(
        _("numbers and dates"),
        max_length=16,
        blank=True,
        default="",
        validators=[preferences.validate_locale],
    )

    setup_link_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta(AbstractUser.Meta):
        verbose_name = _("person")  # type: ignore[assignment]
        verbose_name_plural = _("people")  # type: ignore[assignment]
        constraints = [
            # Signing in ignores case, so two names that differ only by case would be one person.
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

    @cached_property
    def role(self) -> str:
        """Their groups' names, the four roles first: “officer”, or “support, night desk”."""
        held = {group.name for group in self.groups.all()}
        names = [name for name in roles.ROLES if name in held]
        names += sorted(held.difference(roles.ROLES))
        return ", ".join(names) or (
            gettext("superuser") if self.is_superuser else gettext("no role")
        )


class LendingRight(models.Model):
    """Holds the label of the permission names `lending.…`. `lending/` itself knows no Django."""

    class Meta:
        app_label = "lending"
        managed = False
        default_permissions = ()
        permissions = tuple(roles.list_codenames("lending"))

    def __str__(self) -> str:
        return "lending"


class DashboardRight(models.Model):
    """Holds the label of the permission names `dashboard.…`, which the service does not know."""

    class Meta:
        app_label = "dashboard"
        managed = False
        default_permissions = ()
        permissions = tuple(roles.list_codenames("dashboard"))

    def __str__(self) -> str:
        return "dashboard"
