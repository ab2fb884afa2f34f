"""People and groups in Django's admin; every change is recorded in the audit trail.

A manager works with the rights under `lending` and `dashboard` and with the user model's own.
People who hold more (a superuser, or somebody to whom a superuser gave other permissions) are not
shown to a manager, who could change their password and sign in as them.
"""

from typing import TYPE_CHECKING, Any

from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet
from django.forms import CheckboxSelectMultiple
from django.http import HttpRequest

from lendingadmin.audit import record
from lendingadmin.staff.models import User
from lendingadmin.staff.roles import MANAGE_PEOPLE, RIGHTS, ROLES

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
    _UserAdmin = DjangoUserAdmin[User]
    _ChangeForm = UserChangeForm[User]
else:
    # Django's own classes take no type arguments; only their type stubs do.
    _ModelAdmin, _UserAdmin, _ChangeForm = admin.ModelAdmin, DjangoUserAdmin, UserChangeForm

_WITHIN = Q(content_type__app_label__in=("lending", "dashboard")) | Q(
    content_type__app_label="staff", content_type__model="user"
)

admin.site.unregister(Group)


def list_permissions(manager: User) -> QuerySet[Permission]:
    """The permissions that this manager may put into a group."""
    every = Permission.objects.select_related("content_type")
    return every if manager.is_superuser else every.filter(_WITHIN)


def list_groups(manager: User) -> QuerySet[Group]:
    """The groups that this manager may see and give."""
    if manager.is_superuser:
        return Group.objects.all()
    return Group.objects.exclude(permissions__in=Permission.objects.exclude(_WITHIN))


def list_people(manager: User) -> QuerySet[User]:
    """The people whom this manager may see and change."""
    if manager.is_superuser:
        return User.objects.all()
    beyond = Permission.objects.exclude(_WITHIN)
    return (
        User.objects.exclude(is_superuser=True)
        .exclude(user_permissions__in=beyond)
        .exclude(groups__permissions__in=beyond)
    )


class OwnAccountForm(_ChangeForm):
    """Changes the manager's own account, but never locks them out."""

    class Meta(UserChangeForm.Meta):
        model = User

    def clean(self) -> dict[str, Any]:
        """Refuse to deactivate oneself or to give up the right to manage people."""
        cleaned = super().clean() or {}
        if cleaned.get("is_active") is False:
            self.add_error("is_active", "Another manager must deactivate your account.")
        groups = cleaned.get("groups")
        if groups is not None and not self.instance.is_superuser and not _includes_manager(groups):
            self.add_error("groups", "Another manager must take this role from you.")
        return cleaned


def _includes_manager(groups: Any) -> bool:
    label, _, codename = MANAGE_PEOPLE.partition(".")
    return Group.objects.filter(
        pk__in=[group.pk for group in groups],
        permissions__codename=codename,
        permissions__content_type__app_label=label,
    ).exists()


class ForManagers(_ModelAdmin):
    """Open to everyone who may manage people, instead of by one permission per table and verb."""

    def _may_manage(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(MANAGE_PEOPLE)

    has_module_permission = has_view_permission = _may_manage
    has_add_permission = has_change_permission = _may_manage

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        """Offer, and accept, only what this manager may give."""
        if db_field.name == "groups":
            kwargs["queryset"] = list_groups(request.user)
        elif db_field.name in ("permissions", "user_permissions"):
            kwargs["queryset"] = list_permissions(request.user)
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
        changes = [
            _describe_change(form, name) for name in form.changed_data if "password" not in name
        ]
        if any("password" in name for name in form.changed_data):
            changes.append("password")
        return [{"added" if add else "changed": {"fields": changes}}]

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
class UserAdmin(ForManagers, _UserAdmin):
    """People. They are deactivated, never deleted: the trail and the journal name them."""

    list_display = ("username", "first_name", "last_name", "role", "is_active", "last_login")
    list_filter = ("is_active", "groups")
    search_fields = ("username", "first_name", "last_name")
    readonly_fields = ("last_login", "date_joined")
    actions = ("remove_second_factors",)
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Name", {"fields": ("first_name", "last_name")}),
        ("Role", {"fields": ("is_active", "groups")}),
        ("As they read", {"fields": ("zone", "locale")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
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
                    "groups",
                    "usable_password",
                    "password1",
                    "password2",
                ),
            },
        ),
    )
    superuser_fieldsets = (
        *fieldsets,
        ("Beyond roles", {"fields": ("is_superuser", "user_permissions")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """The people whom this manager may see; all others do not exist here."""
        ids = list_people(_get_manager(request)).values("pk")
        return super().get_queryset(request).filter(pk__in=ids)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Only a superuser's form has `is_superuser` and `user_permissions`."""
        if obj and _get_manager(request).is_superuser:
            return self.superuser_fieldsets
        return super().get_fieldsets(request, obj)

    def get_form(self, request: Any, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None and obj.pk == request.user.pk:
            kwargs["form"] = OwnAccountForm
        return super().get_form(request, obj, change=change, **kwargs)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description="Remove the second factors of the chosen people")
    def remove_second_factors(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """For a person who lost their phone or key: the password alone signs them in again."""
        for person in queryset:
            removed, _ = Authenticator.objects.filter(user=person).delete()
            if removed:
                record(request, "people.secondFactor", subject=person.username, outcome="removed")
        self.message_user(request, "Second factors removed.")


@admin.register(Group)
class GroupAdmin(ForManagers, DjangoGroupAdmin):
    """Roles. The product's four are read only; others are made and changed here."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        """The groups that this manager may see; all others do not exist here."""
        ids = list_groups(_get_manager(request)).values("pk")
        return super().get_queryset(request).filter(pk__in=ids)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and not _is_built_in(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(MANAGE_PEOPLE) and not _is_built_in(obj)


def _get_manager(request: HttpRequest) -> User:
    # admin_view requires that the person is signed in.
    assert isinstance(request.user, User)  # noqa: S101
    return request.user


def _is_built_in(group: Group | None) -> bool:
    return group is not None and group.name in ROLES


def _describe_change(form: Any, name: str) -> str:
    """One changed field: its name, and for a choice of many what was added and removed."""
    after = form.cleaned_data.get(name)
    if not isinstance(after, QuerySet):
        return name
    before = {_name_of(item) for item in form.initial.get(name) or ()}
    now = {_name_of(item) for item in after}
    moves = [f"+{item}" for item in sorted(now - before)]
    moves += [f"-{item}" for item in sorted(before - now)]
    return f"{name} ({', '.join(moves)})"


def _describe_right(permission: Permission) -> str:
    right = RIGHTS.get(_name_of(permission))
    return f"{right.words} ({right.name})" if right else str(permission)


def _name_of(item: Any) -> str:
    if isinstance(item, Permission):
        return f"{item.content_type.app_label}.{item.codename}"
    return str(item)


def _record_change(request: HttpRequest, outcome: str, obj: Any, message: Any) -> None:
    kind = "people" if isinstance(obj, User) else "groups"
    changes = [
        field
        for part in message
        if isinstance(part, dict)
        for change in part.values()
        for field in change.get("fields", ())
    ]
    record(request, kind, subject=str(obj), outcome=outcome, detail=", ".join(changes))
