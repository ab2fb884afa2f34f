"""Pages of people for managers: the list, roles, and each person's sign-in."""

from collections.abc import Callable
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core.policies.deciding import is_second_on
from lendingadmin.core.staff import reach, second_manager, services, sessions
from lendingadmin.core.staff.forms import NewPersonForm, PeopleFilterForm, PersonForm
from lendingadmin.core.staff.models import AppRole, PersonChange, User
from lendingadmin.core.staff.permissions import list_held
from lendingadmin.core.staff.roles import MANAGE_PEOPLE, ROLE_WORDS, sort_rights
from lendingadmin.core.staff.sessions import hash_session_key
from lendingadmin.core.staff.setup_links import mail_setup_link, may_mail
from lendingadmin.web.access import access
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest, address_with

PAGE = 100

WAITS = gettext_lazy("A second manager must approve this change first. Nothing has changed yet.")
SAVED_BUT_ROLES = gettext_lazy("Saved, but without the roles. %(waits)s")


@access(MANAGE_PEOPLE)
def people(request: PersonRequest) -> HttpResponse:
    """Show the people that this manager may see, and waiting changes.

    Active people are first.
    """
    form = PeopleFilterForm(request.GET)
    rows = _list_rows(request.user, form)
    pages = Paginator(rows, PAGE)
    page = pages.get_page(whole_number(request.GET.get("page")) or 1)
    shown = list(page.object_list)
    held = AppRole.read_held(shown)
    for one in shown:
        one.held_roles = held[one.pk]
    # Superusers are shown, but a manager cannot change them.
    superusers = User.objects.filter(is_superuser=True, is_active=True).order_by("username")
    following = str(page.next_page_number()) if page.has_next() else ""
    pager = {
        "count": len(page),
        "total": str(pages.count),
        "next_url": address_with(request, {"page": following}) if following else "",
        "first_url": address_with(request, {"page": ""}) if page.has_previous() else "",
    }
    context = {
        "form": form,
        "people": shown,
        "changes": second_manager.list_changes(request.user),
        "superusers": superusers.none() if request.user.is_superuser else superusers,
        "pager": pager,
        "zone": settings.LENDING_APPS[0].zone,
        "local_sign_in": settings.LOCAL_SIGN_IN,
    }
    return render(request, "people/list.html", context)


@access(MANAGE_PEOPLE)
def roles(request: PersonRequest) -> HttpResponse:
    """Show the roles that this manager may give.

    Each role is shown with its rights and the number of people who have the role.
    """
    theirs = Q(app_roles__person__in=reach.list_people(request.user).filter(is_active=True))
    counted = Count("app_roles__person", filter=theirs, distinct=True)
    groups = reach.list_groups(request.user).annotate(people=counted).order_by("pk")
    shown = []
    for group in groups.prefetch_related("permissions__content_type"):
        held = [services.name_item(one) for one in group.permissions.all()]
        purpose = ROLE_WORDS.get(group.name, "")
        shown.append({"role": group, "purpose": purpose, "areas": sort_rights(held)})
    return render(request, "people/roles.html", {"roles": shown})


@access(MANAGE_PEOPLE, methods=("GET", "POST"), confirmed=("GET", "POST"))
def new(request: PersonRequest) -> HttpResponse:
    """Show the form for a new person; a POST adds the person and shows the set-up link.

    If a second manager must approve the link, redirect to the person.
    """
    form = NewPersonForm(request.POST if request.method == "POST" else None, by=request.user)
    if form.is_bound and form.is_valid():
        done = services.add_person(request, request.user, form)
        return _show_setup_link(request, done.person.pk, asked=done.asked, is_new=True)
    context = {"form": form, "needs_second": is_second_on()}
    return render(request, "people/new.html", context)


@access(MANAGE_PEOPLE, methods=("GET", "POST"), confirmed=("POST",))
def person(request: PersonRequest, number: int) -> HttpResponse:
    """Show one person; a POST changes name, mail address and roles, and redirects to this page.

    If a second manager must approve the roles, or if the change is refused, a message explains
    this. Raise Http404 for a person whom this manager may not see.
    """
    found = get_object_or_404(reach.list_people(request.user), pk=number)
    data = request.POST if request.method == "POST" else None
    form = PersonForm(data, instance=found, by=request.user)
    if form.is_bound and form.is_valid():

        def save(by: User) -> str:
            done = services.save_person(request, by, form)
            if done.asked and done.is_changed:
                return SAVED_BUT_ROLES % {"waits": WAITS}
            return str(WAITS) if done.asked else _("Saved.")

        return apply_change(request, number, save)
    # The form has copied the typed values into `found`, so the person is read again.
    shown = reach.list_people(request.user).get(pk=number)
    factors = Authenticator.objects.filter(user=shown)
    context = {
        "person": shown,
        "form": form,
        "changes": second_manager.list_changes(request.user, shown),
        "rights": _sort_rights(shown),
        "sessions": sessions.list_sessions(shown),
        "here": hash_session_key(request.session.session_key),
        "needs_second": second_manager.needs_second(shown),
        "role_waits": is_second_on(),
        "has_two_step": factors.exclude(type=Authenticator.Type.RECOVERY_CODES).exists(),
        "is_own": shown.pk == request.user.pk,
        "local_sign_in": settings.LOCAL_SIGN_IN,
        "provider": settings.OIDC_NAME if reach.is_provided(shown) else "",
        "zone": settings.LENDING_APPS[0].zone,
    }
    return render(request, "people/person.html", context)


@access(MANAGE_PEOPLE, methods=("POST",), confirmed=("POST",))
def setup_link(request: PersonRequest, number: int) -> HttpResponse:
    """Make a set-up link and show it. This is the only time, because the link is not saved.

    If the link is refused or must be approved, redirect to the person.
    """
    get_object_or_404(reach.list_people(request.user), pk=number)
    return _show_setup_link(request, number)


@access(MANAGE_PEOPLE, methods=("POST",), confirmed=("POST",))
def password_require(request: PersonRequest, number: int) -> HttpResponse:
    """Require a new password of a person, because others may know the old one.

    The person is signed out. Redirect to the person.
    """
    words = _("%(person)s was signed out and must choose a new password at the next sign-in.")
    return apply_change(
        request,
        number,
        lambda by: words % {"person": services.require_new_password(request, by, number)},
    )


@access(MANAGE_PEOPLE, methods=("POST",), confirmed=("POST",))
def sessions_end(request: PersonRequest, number: int) -> HttpResponse:
    """End all sessions of a person, except the session of this request.

    Redirect to the person.
    """
    return apply_change(
        request,
        number,
        lambda by: sessions.describe_ended(services.end_all_sessions(request, by, number)[1]),
    )


@access(MANAGE_PEOPLE, methods=("POST",), confirmed=("POST",))
def two_step_remove(request: PersonRequest, number: int) -> HttpResponse:
    """Remove two-step sign-in of a person who lost the phone or key, or request an approval.

    Redirect to the person.
    """

    def remove(by: User) -> str:
        done = services.remove_second_factors(request, by, number)
        if done.asked:
            return str(WAITS)
        if not done.is_changed:
            return _("%(person)s had no two-step sign-in.") % {"person": done.person}
        return _(
            "Two-step sign-in was removed. %(person)s now signs in with the password only."
        ) % {"person": done.person}

    return apply_change(request, number, remove)


@access(MANAGE_PEOPLE, methods=("POST",), confirmed=("POST",))
def deactivate(request: PersonRequest, number: int) -> HttpResponse:
    """Deactivate a person; redirect to the person."""
    words = _("%(person)s can no longer sign in.")
    return apply_change(
        request, number, lambda by: words % {"person": services.deactivate(request, by, number)}
    )


@access(MANAGE_PEOPLE, methods=("POST",), confirmed=("POST",))
def reactivate(request: PersonRequest, number: int) -> HttpResponse:
    """Activate a person again; redirect to the person."""
    words = _("%(person)s can sign in again.")
    return apply_change(
        request, number, lambda by: words % {"person": services.reactivate(request, by, number)}
    )


def apply_change(
    request: PersonRequest, number: int, change: Callable[[User], object]
) -> HttpResponse:
    """Change a person whom this manager may manage; redirect to the person with a message.

    If the change is refused, the message is an error. Raise Http404 for a person whom this manager
    may not see.
    """
    get_object_or_404(reach.list_people(request.user), pk=number)
    try:
        words = change(request.user)
    except services.ChangeRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, str(words))
    return redirect("person", number)


def _show_setup_link(
    request: PersonRequest,
    number: int,
    *,
    asked: PersonChange | None = None,
    is_new: bool = False,
) -> HttpResponse:
    """Make a set-up link and show it in the response to the POST.

    After a redirect, the link could be shown only if it were saved. Redirect only if the link is
    refused or must be approved.
    """
    try:
        found, path = services.make_setup_link(request, request.user, number)
    except services.ChangeRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("person", number)
    if not path:
        messages.success(request, WAITS)
        return redirect("person", number)
    return draw_setup_link(request, found, path, asked=asked, is_new=is_new)


def draw_setup_link(
    request: PersonRequest, person: User, path: str, *, mail: bool = True, **more: object
) -> HttpResponse:
    """Show the page with a set-up link; with `mail` also mail the link to the person.

    A link that a second manager approved is not mailed, because the first manager may have changed
    the person's mail address.
    """
    address, is_tried = f"{settings.DASHBOARD_URL}{path}", mail and may_mail(person)
    context: dict[str, Any] = {
        "person": person,
        "address": address,
        "hours": settings.PASSWORD_RESET_TIMEOUT // 3600,
        "tried_mail": is_tried,
        "is_mailed": is_tried and mail_setup_link(person, address),
    }
    return render(request, "people/setup_link.html", context | more)


def _list_rows(manager: User, form: PeopleFilterForm) -> QuerySet[User, Any]:
    rows = reach.list_people(manager)
    if not form.is_valid():
        return rows.none()
    if name := form.cleaned_data["name"].strip():
        fields = ("username", "first_name", "last_name", "email")
        wanted = Q()
        for word in name.split():
            wanted &= Q(*((f"{field}__icontains", word) for field in fields), _connector=Q.OR)
        rows = rows.filter(wanted)
    if state := form.cleaned_data["state"]:
        rows = rows.filter(is_active=state == "active")
    factors = Authenticator.objects.filter(user=OuterRef("pk"))
    has_two_step = Exists(factors.exclude(type=Authenticator.Type.RECOVERY_CODES))
    provided = Exists(reach.list_provided().filter(user=OuterRef("pk")))
    rows = rows.annotate(has_two_step=has_two_step, is_provided=provided)
    if two_step := form.cleaned_data["two_step"]:
        rows = rows.filter(has_two_step=two_step == "with")
    return rows.order_by("-is_active", "username")


def _sort_rights(person: User) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """Return the apps of a person in words, with the rights in these apps; "" means all apps."""
    apps: dict[frozenset[str], list[str]] = {}
    for app in settings.LENDING_APPS:
        if held := frozenset(list_held(person, app.app_id)):
            apps.setdefault(held, []).append(app.app_id)
    return [
        ("" if len(ids) == len(settings.LENDING_APPS) else ", ".join(ids), sort_rights(held))
        for held, ids in apps.items()
    ]
