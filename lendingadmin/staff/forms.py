"""The admin's form for one's own account."""

from typing import TYPE_CHECKING, Any

from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group

from lendingadmin.staff.models import User
from lendingadmin.staff.roles import MANAGE_PEOPLE

if TYPE_CHECKING:
    _ChangeForm = UserChangeForm[User]
else:
    # Django's own class takes no type arguments; only its type stubs do.
    _ChangeForm = UserChangeForm


class OwnAccountForm(_ChangeForm):
    """Changes the account of the manager who is looking at it, but never locks them out."""

    class Meta(UserChangeForm.Meta):
        model = User

    def clean(self) -> dict[str, Any]:
        """Refuse to deactivate oneself or to give up the right to manage people."""
        cleaned = super().clean() or {}
        if cleaned.get("is_active") is False:
            self.add_error("is_active", "Another manager must deactivate your account.")
        groups = cleaned.get("groups")
        if groups is not None and not self.instance.is_superuser and not _may_manage(groups):
            self.add_error("groups", "Another manager must take this role from you.")
        return cleaned


def _may_manage(groups: Any) -> bool:
    label, _, codename = MANAGE_PEOPLE.partition(".")
    return Group.objects.filter(
        pk__in=[group.pk for group in groups],
        permissions__codename=codename,
        permissions__content_type__app_label=label,
    ).exists()
