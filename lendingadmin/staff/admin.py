"""People and groups in Django's admin, for superusers; every change is in the audit trail.

Roles are given on the product's own pages (`staff.views.people`), to managers and superusers.
"""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import (
    AdminPasswordChangeForm,
    AdminUserCreationForm,
    UserChangeForm,
)
from django.contrib.auth.models import Group, Permission
from django.db.models import QuerySet
from django.forms import CheckboxSelectMultiple
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.audit import record
from lendingadmin.staff import services
from lendingadmin.staff.forms import clean_new_username
from lendingadmin.staff.models import User
from lendingadmin.staff.roles import RIGHTS, ROLES
from lendingadmin.staff.sessions import end_sessions

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
    _UserAdmin = DjangoUserAdmin[User]
    _ChangeForm = UserChangeForm[User]
    _NewForm = AdminUserCreationForm[User]
    _PasswordForm = AdminPasswordChangeForm[User]
else:
    # Django's own classes take no type arguments; only their type stubs do.
    _ModelAdmin, _UserAdmin, _ChangeForm = admin.ModelAdmin, DjangoUserAdmin, UserChangeForm
    _NewForm, _PasswordForm = AdminUserCreationForm, AdminPasswordChangeForm

admin.site.unregister(Group)


class OwnAccountForm(_ChangeForm):
    """Changes one's own account, but never locks one out."""

    class Meta(UserChangeForm.Meta):
        model = User

    def clean(self) -> dict[str, Any]:
        """Refuse to deactivate oneself."""
        cleaned = super().clean() or {}
        if cleaned.get("is_active") is False:
            self.add_error("is_active", services.ANOTHER_MUST_DEACTIVATE)
        return cleaned


class NewAccountForm(_NewForm):
    """A new account, whose name can't be taken for another's."""

    class Meta(AdminUserCreationForm.Meta):
        model = User

    def clean_username(self) -> str:
        """Refuse a name that is, or looks like, another person's."""
        return clean_new_username(str(self.cleaned_data["username"]))


class GivenPasswordForm(_PasswordForm):
    """A password that somebody else knows then, so that the person must choose another one."""

    def save(self, commit: bool = True) -> User:
        self.user.must_choose_password = self.cleaned_data["set_usable_password"]
        return super().save(commit)


class AuditedAdmin(_ModelAdmin):
    """Open to every superuser, and to nobody else; writes each change to the audit trail."""

    def _may_change(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_active and request.user.is_superuser

    has_module_permission = has_view_permission = _may_change
    has_add_permission = has_change_permission = _may_change

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        # A list of checkboxes works with a keyboard and a screen reader, and needs no script.
        kwargs["widget"] = CheckboxSelectMultiple
        field: Any = super().formfield_for_manytomany(db_field, request, **kwargs)
        if field and field.queryset.model is Permission:
            field.label_from_instance = _describe_right
        return field

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> list[dict[str, Any]]:
        """Name the changed fields, and the roles and rights that were added and removed."""
        return [{"added" if add else "changed": {"fields": [services.describe_changes(form)]}}]

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        _record_change(request, "added", obj, message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        _record_change(request, "changed", obj, message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for obj in queryset:
            _record_change(request, "removed", obj, [])
        return super().log_deletions(request, queryset)


@admin.register(User)
class UserAdmin(AuditedAdmin, _UserAdmin):
    """People. They are deactivated, never deleted: the trail and the journal name them."""

    list_display = ("username", "first_name", "last_name", "role", "is_active", "last_login")
    list_filter = ("is_active", "is_superuser")
    filter_horizontal = ()
    search_fields = ("username", "first_name", "last_name")
    readonly_fields = ("last_login", "date_joined")
    actions = ("remove_second_factors",)
    add_form = NewAccountForm

    change_password_form = GivenPasswordForm
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Name"), {"fields": ("first_name", "last_name", "email")}),
        (_("Account"), {"fields": ("is_active", "is_superuser")}),
        (_("As they read"), {"fields": ("zone", "locale", "uses_keys")}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": (
                    "username",
                    "first_name",
                    "last_name",
                    "usable_password",
                    "password1",
                    "password2",
                ),
            },
        ),
    )

    def get_form(self, request: Any, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None and obj.pk == request.user.pk:
            kwargs["form"] = OwnAccountForm
        return super().get_form(request, obj, change=change, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A name stays as it was given: the trail and receipts name people by it.

        Where SECOND_MANAGER is on nobody makes a superuser alone: `createsuperuser` does.
        """
        fields = (*super().get_readonly_fields(request, obj), *(["username"] if obj else []))
        return (*fields, "is_superuser") if settings.SECOND_MANAGER else fields

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Void the set-up link of somebody who is changed; end sessions of somebody deactivated."""
        obj.setup_link_at = None
        if not change:
            obj.must_choose_password = obj.has_usable_password()
        super().save_model(request, obj, form, change)
        if not obj.is_active:
            end_sessions(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        """Redirect to the product's own page for one's own password."""
        if id == str(request.user.pk):
            return redirect("account_change_password")
        return super().user_change_password(request, id, form_url)

    @admin.action(description=_("Remove the second factors of the chosen people"))
    def remove_second_factors(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """For a person who lost their phone or key: the password alone signs them in again."""
        for person in queryset.exclude(pk=_get_superuser(request).pk):
            services.remove_second_factors(request, _get_superuser(request), person.pk)
        self.message_user(request, gettext("Two-step sign-in removed."))


@admin.register(Group)
class GroupAdmin(AuditedAdmin, DjangoGroupAdmin):
    """Roles. The product's four are read only; others are made and changed here.

    Where SECOND_MANAGER is on none is: `manage.py role` takes somebody at the server.
    """

    def _may_change_alone(self, request: HttpRequest, obj: Any = None) -> bool:
        is_fixed = settings.SECOND_MANAGER or _is_built_in(obj)
        return self._may_change(request) and not is_fixed

    has_add_permission = has_change_permission = has_delete_permission = _may_change_alone


def _get_superuser(request: HttpRequest) -> User:
    # admin_view requires that the person is signed in.
    assert isinstance(request.user, User)  # noqa: S101
    return request.user


def _is_built_in(group: Group | None) -> bool:
    return group is not None and group.name in ROLES


def _describe_right(permission: Permission) -> str:
    right = RIGHTS.get(services.name_item(permission))
    return f"{gettext(right.words)} ({right.name})" if right else str(permission)


def _record_change(request: HttpRequest, outcome: str, obj: Any, message: Any) -> None:
    changes = [
        field
        for part in message
        if isinstance(part, dict)
        for change in part.values()
        for field in change.get("fields", ())
    ]
    detail = ", ".join(changes)
    if isinstance(obj, User):
        services.record_change(request, outcome, obj, detail)
    else:
        record(request, "groups", subject=str(obj), outcome=outcome, detail=detail)
