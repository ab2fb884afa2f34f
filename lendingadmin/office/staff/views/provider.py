"""Views of the sign-in page, and of the way to the lender's identity provider and back."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from allauth.account.utils import get_next_redirect_url
from allauth.account.views import LoginView
from allauth.core import ratelimit
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from lendingadmin.core.staff.provider import complete_sign_in, go_to_provider
from lendingadmin.web.access import public, signed_in
from lendingadmin.web.requests import PersonRequest

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def require_local_sign_in() -> None:
    """Raise Http404 if LOCAL_SIGN_IN=off."""
    if not settings.LOCAL_SIGN_IN:
        raise Http404("People sign in only at the identity provider.")


def local_only(view: View) -> View:
    """Return a view of local sign-in that raises Http404 if LOCAL_SIGN_IN=off.

    The access rule of the view does not change.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        require_local_sign_in()
        return view(request, *args, **kwargs)

    return guarded  # type: ignore[return-value]


def own_password_only(view: View) -> View:
    """Return a view that raises Http404 for signed-in people without a password.

    Use it for views in which people change their own password, because people who sign in with the
    provider have no password here.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and not request.user.has_usable_password():
            raise Http404("This person has no password here.")
        return view(request, *args, **kwargs)

    return guarded  # type: ignore[return-value]


class SignInView(LoginView):  # type: ignore[misc]
    """Sign-in view of allauth, with the button of the identity provider if there is one."""

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        """Return the context of allauth, and the ways to sign in that this page offers."""
        offered = {
            "provider": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
            "local_sign_in": settings.LOCAL_SIGN_IN,
        }
        return {**super().get_context_data(**options), **offered}

    def post(self, *args: Any, **options: Any) -> HttpResponseBase:
        """Check a password if local sign-in is on. Raise Http404 if it is off."""
        require_local_sign_in()
        answer: HttpResponseBase = super().post(*args, **options)
        return answer


sign_in = public(methods=("GET", "POST"))(SignInView.as_view())


@public(methods=("POST",))
def sign_in_by_provider(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider's sign-in.

    Return a 429 after too many tries. Raise Http404 if there is no provider.
    """
    _require_provider()
    limited: HttpResponse | None = ratelimit.consume_or_429(request, action="login")
    return limited or go_to_provider(request)


@signed_in(methods=("GET", "POST"))
def confirm(request: PersonRequest) -> HttpResponse:
    """Ask a person who signs in with the provider to sign in again before a sensitive action.

    A POST redirects to the provider, or returns a 429 after too many tries. Raise Http404 if there
    is no provider.
    """
    _require_provider()
    if request.method == "POST":
        limited: HttpResponse | None = ratelimit.consume_or_429(
            request, action="reauthenticate", user=request.user
        )
        return limited or go_to_provider(request, confirms=True)
    context = {"provider": settings.OIDC_NAME, "next": get_next_redirect_url(request)}
    return render(request, "account/provider_confirm.html", context)


@public()
def callback(request: HttpRequest) -> HttpResponseBase:
    """Complete the sign-in of a person whom the provider sends back.

    Only the answer to our own request counts. Raise Http404 if there is no provider.
    """
    _require_provider()
    return complete_sign_in(request)


def _require_provider() -> None:
    if not settings.OIDC_ISSUER:
        raise Http404("There is no identity provider.")
