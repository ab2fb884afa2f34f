"""Access rules of views. A view without a declared rule returns 404.

@access("lending.loans.makeRepayment", methods=("GET", "POST"))
def confirm(request, app_id, account_id): ...

A view declares all permissions that it needs and does not check them in its own code. A
function (`needs`) gives the permissions that depend on the record or list in the address.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.urls import URLPattern, URLResolver
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django_htmx.http import HttpResponseClientRedirect

from lendingadmin.core.audit import record
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.confirming import (
    get_confirm_url,
    has_factor,
    is_confirmed,
    must_ask_provider,
)
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import RIGHTS, describe_roles
from lendingadmin.core.staff.two_step import must_set_up

from .errors import Card
from .middleware import fault
from .quotas import LIMITS, OverQuota, take

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


#: The title of the card for a refused request.
REFUSED = gettext_noop("Your role does not allow this action")
# The HTTP methods of allauth's views, which have their own rules.
_OF_OTHERS = frozenset({"GET", "HEAD", "POST"})
_CHANGE_PASSWORD = "account_change_password"  # noqa: S105  # pragma: allowlist secret
_GIVE_FACTOR = frozenset({"mfa_reauthenticate", "mfa_reauthenticate_webauthn"})
# The pages of allauth that a person may open before choosing a new password.
_OPEN_TO_HELD_BACK = _GIVE_FACTOR | {_CHANGE_PASSWORD, "account_logout"}
# The pages of second factors that neither change a factor nor show recovery codes.
_CHANGE_NO_FACTOR = _GIVE_FACTOR | {
    *("mfa_index", "mfa_list_webauthn", "mfa_authenticate", "mfa_login_webauthn")
}
# A function that returns permission names for a request and the arguments of its route. It may
# raise Http404.
Needs = Callable[..., Iterable[str]]
Condition = Callable[..., bool]


class Rule(NamedTuple):
    """Access rule of a view: the people who may use the view, and its HTTP methods.

    A person must have all `permissions`. If the tuple is empty, any signed-in person may use the
    view; if it is None, everyone may. `needs` returns more permissions that one address needs.
    Before a request with a method in `confirmed`, people confirm their identity, unless they did so
    recently (`staff.confirming`). With `confirmed_if`, they confirm only if this function returns
    True for the request. `quota` names the limit of uses (`quotas.LIMITS`).
    """

    permissions: tuple[str, ...] | None
    methods: frozenset[str]
    needs: Needs | None = None
    confirmed: frozenset[str] = frozenset()
    confirmed_if: Condition | None = None
    quota: str = ""

    def must_confirm(self, request: HttpRequest, kwargs: dict[str, Any]) -> bool:
        """Return True if people must confirm their identity before this request."""
        if request.method not in self.confirmed:
            return False
        return self.confirmed_if is None or self.confirmed_if(request, **kwargs)

    def find_missing(self, request: HttpRequest, kwargs: dict[str, Any]) -> str | None:
        """Return the first permission that the person lacks; None if the person has all.

        Raise Http404 if `needs` raises it.
        """
        person: Any = request.user
        missing = (name for name in self.permissions or () if not person.has_perm(name))
        if (first := next(missing, None)) or self.needs is None:
            return first
        return next((x for x in self.needs(request, **kwargs) if not person.has_perm(x)), None)

    def take_quota(self, request: HttpRequest, kwargs: dict[str, Any]) -> None:
        """Count this request if it has a quota. Raise OverQuota if the quota is used up."""
        if self.quota and request.method in (limit := LIMITS[self.quota]).methods:
            take(cast(User, request.user), self.quota, kwargs.get(limit.once_by, ""))


def access(
    permission: str,
    *others: str,
    methods: Iterable[str] = ("GET",),
    needs: Needs | None = None,
    confirmed: Iterable[str] = (),
    confirmed_if: Condition | None = None,
    quota: str = "",
) -> Callable[[View], View]:
    """Declare that a view is for people with all of these permissions.

    `staff.roles.RIGHTS` has the names of permissions. `needs` returns more permissions that one
    address needs, from the request and the route's arguments. Other methods than `methods` get a
    405; HEAD is allowed with GET. Before the methods in `confirmed`, people confirm their identity,
    if `confirmed_if` is true for the request and the route's arguments. `quota` names the limit of
    uses (`quotas.LIMITS`). Raise ValueError for an unknown permission.
    """
    for name in (permission, *others):
        if name not in RIGHTS:
            raise ValueError(f"“{name}” is not a permission of lendingadmin.core.staff.roles")
    permissions, asked = (permission, *others), _methods(confirmed)
    return _declare(Rule(permissions, _methods(methods), needs, asked, confirmed_if, quota))


def signed_in(
    *,
    methods: Iterable[str] = ("GET",),
    needs: Needs | None = None,
    confirmed: Iterable[str] = (),
    quota: str = "",
) -> Callable[[View], View]:
    """Declare that a view is for all people who are signed in.

    If `needs` is given, people must also have the permissions that it returns.
    """
    return _declare(Rule((), _methods(methods), needs, _methods(confirmed), quota=quota))


def public(*, methods: Iterable[str] = ("GET",)) -> Callable[[View], View]:
    """Declare that a view is for everyone, signed in or not, such as a health check."""
    return _declare(Rule(None, _methods(methods)))


def rule_of(view: Callable[..., Any]) -> Rule | None:
    """Return the rule that a view declares; None if it declares no rule."""
    rule = getattr(view, "access_rule", None)
    return rule if isinstance(rule, Rule) else None


def guards_itself(view: Callable[..., Any]) -> bool:
    """Return True if a view belongs to allauth, which has its own rules."""
    return (getattr(view, "__module__", "") or "").startswith("allauth.")


def routes(
    patterns: Iterable[URLPattern | URLResolver], prefix: str = ""
) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield each route of a URLconf, as written, with its view."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route, pattern.callback


class AccessMiddleware:
    """Middleware that applies the access rule of a view before the view runs.

    A view without a rule, and an address with an unknown app, return 404.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        """Return None to let the view run, or the response that replaces the view's.

        Raise Http404 if the view declares no access, or if the app in the address is not known.
        """
        rule = rule_of(view)
        if rule is None:
            return _guard_of_others(request, view)
        if rule.permissions is not None and not request.user.is_authenticated:
            return to_sign_in(request)
        if rule.permissions is not None and (answer := _hold_back(request)):
            return answer
        if app_id := kwargs.get("app_id"):
            app, person = lending_app(app_id), cast(User, request.user)
            # A role is valid in one app, so all later checks of this person use this app.
            person.app_id = app_id
            if app not in person.lending_apps:
                return _refuse_app(request, app_id)
        if missing := rule.find_missing(request, kwargs):
            return _refuse_for(request, missing)
        if request.method not in rule.methods:
            return HttpResponseNotAllowed(sorted(rule.methods))
        if rule.must_confirm(request, kwargs) and (answer := _confirm_first(request)):
            return answer
        try:
            rule.take_quota(request, kwargs)
        except OverQuota as error:
            return fault(request, error)
        return None


def _guard_of_others(request: HttpRequest, view: Callable[..., Any]) -> HttpResponseBase | None:
    """Return the response that replaces the one of an allauth view; None to let the view run.

    Raise Http404 for a view that is not allauth's.
    """
    match = request.resolver_match
    if not match or not guards_itself(view):
        raise Http404("This address has no declared access.")
    if request.method not in _OF_OTHERS:
        return HttpResponseNotAllowed(sorted(_OF_OTHERS))
    must_choose = getattr(request.user, "must_choose_password", False)
    if must_choose and match.view_name not in _OPEN_TO_HELD_BACK:
        return _hold_back(request)
    of_factors = view.__module__.startswith("allauth.mfa.")
    changes_factors = of_factors and match.view_name not in _CHANGE_NO_FACTOR
    # allauth asks a person with a second factor for the password alone. A stranger with that
    # password could remove the factor, read the recovery codes or choose another password.
    if (changes_factors or match.view_name == _CHANGE_PASSWORD) and has_factor(request.user):
        return _confirm_first(request)
    # If a person has no factor to confirm with, allauth changes the factors without a question. A
    # stranger at that person's machine could add a factor of their own.
    if changes_factors and must_ask_provider(request.user):
        return _confirm_first(request)
    return None


def _hold_back(request: HttpRequest) -> HttpResponseBase | None:
    """Redirect a person who must first choose a password or set up a second factor.

    Return None if the person may continue.
    """
    if getattr(request.user, "must_choose_password", False):
        page = _CHANGE_PASSWORD
        finding = "choose-password"
        words = _("Someone else may know your password. Choose a new password to continue.")
    # A person who adds a factor may first have to confirm their identity.
    elif must_set_up(request) and request.path != get_confirm_url(request):
        page = "mfa_index"
        finding = "set-up-two-step"
        words = _(
            "Your role needs two-step sign-in. Set up two-step sign-in on this page to continue."
        )
    else:
        return None
    messages.warning(request, words, extra_tags=finding)
    return _lead_away(request, resolve_url(page))


def _confirm_first(request: HttpRequest) -> HttpResponseBase | None:
    """Redirect to the page where people confirm their identity. That page leads back.

    Return None if the person has already confirmed.
    """
    if is_confirmed(request):
        return None
    if request.method == "POST":
        words = _("Nothing has changed yet. Confirm your identity, then repeat your action.")
        messages.warning(request, words, extra_tags="confirm-first")
    return _lead_away(request, get_confirm_url(request))


def _refuse_for(request: HttpRequest, permission: str) -> HttpResponse:
    """Return the page (403) with the roles that have the permission.

    The page explains the person's rights. The service is not involved.
    """
    app_id = getattr(request.user, "app_id", "")
    words = _(
        "To %(action)s, you need the role %(roles)s. You are signed in as %(person)s (%(role)s)."
    )
    if app_id and len(settings.LENDING_APPS) > 1:
        words = _(
            "To %(action)s in %(app)s, you need the role %(roles)s in this app. You are signed "
            "in as %(person)s (%(role)s)."
        )
    given = {
        "action": _(RIGHTS[permission].words),
        "app": app_id,
        "roles": describe_roles(permission),
        "person": request.user.get_username(),
        "role": _(getattr(request.user, "role", "")),
    }
    return _refused(request, words % given)


def _refuse_app(request: HttpRequest, app_id: str) -> HttpResponse:
    """Return the page (403) for an app in which the person has no role."""
    words = _("You are signed in as %(person)s, who has no role in %(app)s.")
    return _refused(request, words % {"person": request.user.get_username(), "app": app_id})


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the page of a refusal (403) if a view itself raises PermissionDenied.

    This is Django's handler403.
    """
    return _refused(request, str(exception or "") or _("Your role does not allow this action."))


def _refused(request: HttpRequest, cause: str) -> HttpResponse:
    """Return the error card of a refusal, and record the refusal in the audit trail.

    A fragment has status 200, because htmx inserts only such a response into the page.
    """
    _record_refusal(request)
    card = Card(
        title=_(REFUSED),
        cause=cause,
        next=_("Ask a manager to do this action for you, or to give you the role."),
        saved="" if request.method in ("GET", "HEAD") else "no",
        tone="warn",
        finding="role",
    )
    if getattr(request, "htmx", False):
        return render(request, "_error_card.html", {"card": card})
    return render(request, "403.html", {"card": card}, status=403)


def _record_refusal(request: HttpRequest) -> None:
    """Record the refusal of a signed-in person in the audit trail, once a minute for each page.

    The page is recorded by its name, because an address may identify a borrower.
    """
    route = request.resolver_match.view_name if request.resolver_match else ""
    person = request.user
    if not person.is_authenticated or not cache.add(f"refused:{person.pk}:{route}", True, 60):
        return
    app_id = getattr(person, "app_id", "")
    record(request, "access", app_id=app_id, subject=route, outcome="refused")


def _declare(rule: Rule) -> Callable[[View], View]:
    def declare(view: View) -> View:
        view.access_rule = rule  # type: ignore[attr-defined]
        return view

    return declare


def _methods(methods: Iterable[str]) -> frozenset[str]:
    named = frozenset(methods)
    return named | {"HEAD"} if "GET" in named else named


def to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the sign-in and then back to the present page.

    htmx would follow a redirect and put the sign-in form into a fragment of the page. So htmx gets
    a header that makes the browser leave the page. After a request for a fragment, or after a POST,
    the person returns to the page around the fragment or form. If the person sent a form, the
    sign-in page shows that the form was not sent.
    """
    if _sends_a_form(request):
        messages.warning(
            request,
            _(
                "You were signed out before you sent this form, so nothing was sent or "
                "saved. Sign in, check the form and send it again."
            ),
        )
    return _lead_away(request, settings.LOGIN_URL)


def _lead_away(request: HttpRequest, address: str) -> HttpResponseBase:
    """Redirect to a page that later leads back to the person's present page."""
    if getattr(request, "htmx", False):
        target = redirect_to_login(_page_of(request, "HX-Current-URL"), address)
        return HttpResponseClientRedirect(target.url)
    if request.method in ("GET", "HEAD"):
        return redirect_to_login(request.get_full_path(), address)
    return redirect_to_login(_page_of(request, "Referer"), address)


def _sends_a_form(request: HttpRequest) -> bool:
    """Return True if a person sent a form. Requests of scripts do not count."""
    asks_for_page = "text/html" in request.headers.get("Accept", "")
    is_form = asks_for_page or bool(getattr(request, "htmx", False))
    return is_form and request.method not in ("GET", "HEAD")


def _page_of(request: HttpRequest, header: str) -> str:
    """Return the path and query of our page that a header names; else those of the start page."""
    address = request.headers.get(header, "")
    if not url_has_allowed_host_and_scheme(address, {request.get_host()}):
        return resolve_url(settings.LOGIN_REDIRECT_URL)
    parts = urlsplit(address)
    # A path with two slashes in front would name another host.
    path = "/" + parts.path.lstrip("/")
    return f"{path}?{parts.query}" if parts.query else path
