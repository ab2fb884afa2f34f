"""Django's admin for people and groups, and nothing else."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _


class PeopleAdminSite(AdminSite):
    """The admin, for superusers; `is_staff` is not used. Managers have pages of the product."""

    site_header = _("People")
    site_title = _("people")
    index_title = _("People and groups")

    def get_urls(self) -> list[Any]:
        """The admin's addresses, without the one that redirects to whatever an object calls its."""
        return [one for one in super().get_urls() if getattr(one, "name", "") != "view_on_site"]

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether this person is a superuser."""
        return request.user.is_active and request.user.is_superuser

    def login(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """Redirect people who are not signed in to the product's own sign-in.

        Django's form is never shown: it has neither throttling nor second factors. Raises
        PermissionDenied for somebody who is signed in and no superuser.
        """
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise PermissionDenied(_("This part is for superusers; managers have the page People."))
        # Django loads this module before the models that allauth needs.
        from allauth.account.decorators import secure_admin_login

        return secure_admin_login(super().login)(request, extra_context)

    def password_change(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """Redirect to the product's own page, which is throttled and audited."""
        return redirect("account_change_password")


class PeopleAdminConfig(AdminConfig):
    """Django's admin app with the site above in place of its own."""

    default_site = "lendingadmin.staff.site.PeopleAdminSite"

    def ready(self) -> None:
        """Register the apps' models, except allauth's own and the worker's tasks."""
        super().ready()
        from allauth.account.models import EmailAddress
        from allauth.mfa.models import Authenticator
        from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
        from django.contrib.admin import site
        from django_tasks_db.models import DBTaskResult

        of_provider = (SocialAccount, SocialApp, SocialToken)
        for model in (EmailAddress, Authenticator, DBTaskResult, *of_provider):
            if site.is_registered(model):
                site.unregister(model)
