"""People and groups in Django's admin. What is changed here is written to the audit trail."""

from typing import TYPE_CHECKING, Any

from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, Permission
from django.db.models import QuerySet
from django.forms import CheckboxSelectMultiple
from django.http import HttpRequest

from lendingadmin.audit import record
from lendingadmin.staff import reach
from lendingadmin.staff.forms import OwnAccountForm
from lendingadmin.staff.models import User
from lendingadmin.staff.roles import MANAGE_PEOPLE, RIGHTS, ROLES

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
    _UserAdmin = DjangoUserAdmin[User]
else:
    # Django's own classes take no type arguments; only their type stubs do.
    _ModelAdmin, _UserAdmin = admin.ModelAdmin, DjangoUserAdmin

admin.site.unregister(Group)


class ForManagers(_ModelAdmin):
    """Open to people who may manage people, instead of by one permission per table and verb."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(MANAGE_PEOPLE)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(MANAGE_PEOPLE)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(MANAGE_PEOPLE)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(MANAGE_PEOPLE)

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        """Offer, and accept, only what this manager may give."""
        if db_field.name == "groups":
            kwargs["queryset"] = reach.groups_for(request.user)
        elif db_field.name in ("permissions", "user_permissions"):
            kwargs["queryset"] = reach.permissions_for(request.user)
        # One list to tick, instead of two to move things between: a keyboard and a screen reader
        # manage it, and it needs no script.
        kwargs["widget"] = CheckboxSelectMultiple
        field: Any = super().formfield_for_manytomany(db_field, request, **kwargs)
        if field and field.queryset.model is Permission:
            field.label_from_instance = _in_words
        return field

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> list[dict[str, Any]]:
        """Say what changed by field names, and for roles and rights which came and went."""
        changes = [_change(form, name) for name in form.changed_data if "password" not in name]
        if any("password" in name for name in form.changed_data):
            changes.append("password")
        return [{"added" if add else "changed": {"fields": changes}}]

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        _write_down(request, "added", obj, message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        _write_down(request, "changed", obj, message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for obj in queryset:
            _write_down(request, "removed", obj, [])
        return super().log_deletions(request, queryset)


@admin.register(User)
class UserAdmin(ForManagers, _UserAdmin):
    """People. Nobody is deleted, since trail and journal name them: they are deactivated."""

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
        """The people within this manager's reach; all others do not exist here."""
        ids = reach.people_for(_manager(request)).values("pk")
        return super().get_queryset(request).filter(pk__in=ids)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Only a superuser's form knows `is_superuser` and `user_permissions`."""
        if obj and _manager(request).is_superuser:
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
        """For somebody who lost their phone or key: the password alone signs them in again."""
        for person in queryset:
            removed, _ = Authenticator.objects.filter(user=person).delete()
            if removed:
                record(request, "people.secondFactor", subject=person.username, outcome="removed")
        self.message_user(request, "Second factors removed.")


@admin.register(Group)
class GroupAdmin(ForManagers, DjangoGroupAdmin):
    """Roles. The product's four are read only; others are made and changed here."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        """The groups within this manager's reach; all others do not exist here."""
        ids = reach.groups_for(_manager(request)).values("pk")
        return super().get_queryset(request).filter(pk__in=ids)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and not _is_built_in(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(MANAGE_PEOPLE) and not _is_built_in(obj)


def _manager(request: HttpRequest) -> User:
    # admin_view has let nobody in who is not signed in.
    assert isinstance(request.user, User)  # noqa: S101
    return request.user


def _is_built_in(group: Group | None) -> bool:
    return group is not None and group.name in ROLES


def _change(form: Any, name: str) -> str:
    """One changed field: its name, and for a choice of many what was added and removed."""
    after = form.cleaned_data.get(name)
    if not isinstance(after, QuerySet):
        return name
    before = {_named(item) for item in form.initial.get(name) or ()}
    now = {_named(item) for item in after}
    moves = [f"+{item}" for item in sorted(now - before)]
    moves += [f"-{item}" for item in sorted(before - now)]
    return f"{name} ({', '.join(moves)})"


def _in_words(permission: Permission) -> str:
    right = RIGHTS.get(_named(permission))
    return f"{right.words} ({right.name})" if right else str(permission)


def _named(item: Any) -> str:
    if isinstance(item, Permission):
        return f"{item.content_type.app_label}.{item.codename}"
    return str(item)


def _write_down(request: HttpRequest, outcome: str, obj: Any, message: Any) -> None:
    kind = "people" if isinstance(obj, User) else "groups"
    changes = [
        field
        for part in message
        if isinstance(part, dict)
        for change in part.values()
        for field in change.get("fields", ())
    ]
    record(request, kind, subject=str(obj), outcome=outcome, detail=", ".join(changes))
