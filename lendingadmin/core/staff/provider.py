"""Sign-in with the lender's own identity provider: OpenID Connect, with allauth.

The provider identifies a person (`sub`) and names the person's groups. OIDC_ROLES defines the roles
that these groups give. A person is found only by the issuer and `sub`, never by an e-mail address.
Otherwise a person who can choose the address at the provider could open any account. No token is
stored. Only these claims are stored: `sub`, and the name and e-mail address of a new person.
"""

import logging
import re
import secrets
import time
from math import isfinite
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from allauth.account.internal.emailkit import valid_email_or_none
from allauth.account.internal.flows.login import (
    clear_authentication_records,
    record_authentication,
)
from allauth.account.utils import get_next_redirect_url
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.base import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from allauth.utils import build_absolute_uri
from django.conf import settings
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy, gettext_noop
from requests import RequestException, Session

from lendingadmin.core.audit import record
from lendingadmin.core.staff import provided_people
from lendingadmin.core.staff.confirming import BY_PROVIDER
from lendingadmin.core.staff.models import User

logger = logging.getLogger(__name__)

# Reasons why a person is not signed in.
ANOTHER_PERSON = gettext_lazy(
    "You signed in at the identity provider as another person. Nothing was confirmed."
)
CANCELLED = gettext_lazy("The sign-in was cancelled at %(provider)s.")
NOT_ASKED_AGAIN = gettext_lazy(
    "%(provider)s did not ask you to sign in again. Nothing was confirmed."
)
NOT_FINISHED = gettext_lazy("The sign-in did not finish. Start again.")
NO_ANSWER = gettext_lazy("%(provider)s did not answer. Try again in a few minutes.")
NO_ROLE = gettext_lazy(
    "You have no role in this dashboard. Ask the administrator of your groups at "
    "%(provider)s for a role."
)
SIGN_IN_THERE = gettext_lazy("Sign in with %(provider)s.")
SUPERUSERS_SIGN_IN_HERE = gettext_lazy("Superusers sign in with a dashboard password.")

# Methods of sign-in at the provider that count as a second factor (RFC 8176): several factors, a
# one-time password, a key in hardware, a smart card.
_TWO_STEP = frozenset({"mfa", "otp", "hwk", "sc"})
_TIMES = ("auth_time", "exp", "iat", "nbf")
# The provider's clock may be this many seconds behind ours.
_CLOCKS_DIFFER = 60
# Printable ASCII, at most as long as the column.
_SUB = re.compile(r"[ -~]{1,191}")
_USERINFO = "userinfo_endpoint"
# Names of these sign-ins in the trail.
_ONE_STEP = gettext_noop("identity provider")
_TWO_STEPS = gettext_noop("identity provider with a second factor")


class ProviderFault(OAuth2Error):  # type: ignore[misc]
    """Error: the provider's answer is not credible.

    The text is for the log. It never repeats a part of the answer.
    """


class ProviderRefused(OAuth2Error):  # type: ignore[misc]
    """Error: the provider identified a person who may not sign in; the text gives the reason."""


class Identity(NamedTuple):
    """The provider's data about a sign-in; `auth_time` is in seconds, 0 if it is missing.

    `answered` is the nonce of our request.
    """

    username: str
    groups: frozenset[str]
    auth_time: float
    has_two_step: bool
    answered: str


class ClaimsAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Adapter that asks the provider as allauth does, and returns the claims as an `Identity`."""

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the address to which the provider sends people back.

        It is registered at the provider.
        """
        return str(build_absolute_uri(request, reverse("provider-callback")))

    @property
    def openid_config(self) -> dict[str, Any]:
        """Return the provider's published configuration.

        Raise OAuth2Error if it can't be used, and RequestException if the provider does not answer.
        """
        try:
            config: dict[str, Any] = super().openid_config
            issuer = config["issuer"].rstrip("/")
            named = [config["authorization_endpoint"], config["token_endpoint"]]
            named += [config[_USERINFO]] if _USERINFO in config else []
            schemes = {urlsplit(one).scheme for one in named}
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ProviderFault("the provider's configuration can't be read") from error
        if issuer != settings.OIDC_ISSUER:
            raise ProviderFault("the provider's issuer is not OIDC_ISSUER")
        if not schemes <= {"https", urlsplit(settings.OIDC_ISSUER).scheme}:
            raise ProviderFault("the provider has addresses without https")
        return config

    def parse_token(self, data: dict[str, Any]) -> SocialToken:
        """Return the access token. It is used for one call and is not stored."""
        return SocialToken(token=data["access_token"])

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """Return the sign-in. Raise OAuth2Error if a claim is missing or wrong.

        The time and method of the sign-in come only from the ID token. The other claims may also
        come from the provider's user info.
        """
        try:
            id_claims = self._decode_id_token(app, kwargs["response"].get("id_token"))
        except (OverflowError, TypeError, ValueError) as error:
            raise ProviderFault("the ID token can't be read") from error
        _check_id_claims(id_claims, app.client_id)
        has_more = _USERINFO in self.openid_config
        userinfo = self._fetch_user_info(token.token) if has_more else id_claims
        subject = id_claims.get("sub")
        if not isinstance(subject, str) or not _SUB.fullmatch(subject):
            raise ProviderFault("there is no usable sub")
        if not isinstance(userinfo, dict) or userinfo.get("sub") != subject:
            raise ProviderFault("the answers of the provider are about different people")
        account = SocialAccount(provider=app.provider_id, uid=subject)
        claims = {**userinfo, **id_claims}
        login = SocialLogin(
            user=_propose_person(claims), account=account, provider=self.get_provider()
        )
        login.identity = _read_identity(id_claims, claims)
        return login


def _check_id_claims(id_claims: dict[str, Any], client_id: str) -> None:
    """Check claims that allauth does not check. Raise ProviderFault if one is wrong.

    A token is refused if it has no expiry, if it is for another client, or if one of its times is
    not a finite number.
    """
    if not isinstance(id_claims.get("exp"), int | float):
        raise ProviderFault("the ID token has no expiry")
    if id_claims.get("azp", client_id) != client_id:
        raise ProviderFault("the ID token is for another client")
    times = [id_claims.get(name) for name in _TIMES]
    if any(isinstance(one, float) and not isfinite(one) for one in times):
        raise ProviderFault("a time of the ID token is not a finite number")


def _read_identity(id_claims: dict[str, Any], claims: dict[str, Any]) -> Identity:
    groups = claims.get(settings.OIDC_GROUPS_CLAIM)
    methods, auth_time = id_claims.get("amr"), id_claims.get("auth_time")
    return Identity(
        username=_read_text(claims, "preferred_username") or _read_text(claims, "email"),
        groups=frozenset(_list_texts([groups] if isinstance(groups, str) else groups)),
        auth_time=auth_time if isinstance(auth_time, int | float) else 0,
        has_two_step=not _TWO_STEP.isdisjoint(_list_texts(methods)),
        answered=_read_text(id_claims, "nonce"),
    )


def _propose_person(claims: dict[str, Any]) -> User:
    """Return an unsaved person with the provider's data.

    Only a new person who may sign in is saved.
    """
    email = _read_text(claims, "email")
    is_verified = claims.get("email_verified") is True
    return User(
        first_name=_read_text(claims, "given_name"),
        last_name=_read_text(claims, "family_name"),
        email=valid_email_or_none(email) or "" if is_verified else "",
    )


def _read_text(claims: dict[str, Any], name: str) -> str:
    value = claims.get(name)
    # PostgreSQL refuses NUL, and the shortest column has 150 characters.
    return value.replace("\x00", "").strip()[:150] if isinstance(value, str) else ""


def _list_texts(value: object) -> list[str]:
    return [x for x in value if isinstance(x, str)] if isinstance(value, list) else []


class LenderProvider(OpenIDConnectProvider):  # type: ignore[misc]
    """Provider that the settings name; there is only one."""

    oauth2_adapter_class = ClaimsAdapter


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Sign-in rules for people of the provider, and their roles."""

    def get_provider(
        self, request: HttpRequest, provider: str = "", client_id: str | None = None
    ) -> LenderProvider:
        """Return the provider of the settings; a provider in the database is ignored.

        The provider's name in allauth is the issuer, so that a user of another provider is never
        the same person.
        """
        app = SocialApp(
            provider=OpenIDConnectProvider.id,
            provider_id=settings.OIDC_ISSUER,
            name=settings.OIDC_NAME,
            client_id=settings.OIDC_CLIENT_ID,
            secret=settings.OIDC_CLIENT_SECRET,
            settings={
                "server_url": settings.OIDC_ISSUER,
                "scope": settings.OIDC_SCOPE,
                "oauth_pkce_enabled": True,
            },
        )
        return LenderProvider(request, app=app)

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Check that the answer belongs to our request; then admit or confirm the person.

        Raise ProviderFault for the answer to another request, and ProviderRefused for a person who
        may not sign in or was not confirmed.
        """
        data = sociallogin.state["data"]
        if not constant_time_compare(sociallogin.identity.answered, data["nonce"]):
            raise ProviderFault("the token is the answer to another request")
        if sociallogin.state["process"] == AuthProcess.REDIRECT:
            _confirm(request, sociallogin, asked_at=data["at"])
        else:
            _admit(request, sociallogin)

    def get_requests_session(self) -> Session:
        """Return a session that follows no redirect, because a redirect could leak the secret."""
        session: Session = super().get_requests_session()
        session.max_redirects = 0
        return session

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return True, because `pre_social_login` has already refused people without a role."""
        return True

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Create the person at their first sign-in.

        Raise ProviderFault if the person or the user name was created at the same moment.
        """
        # allauth has removed the name if another person has it.
        sociallogin.user.username = sociallogin.identity.username
        try:
            return provided_people.add_provided_person(
                sociallogin.account, sociallogin.user, _find_roles(sociallogin.identity)
            )
        except IntegrityError as error:
            # Two browsers, or two people with the same name, signed in at the same moment.
            raise ProviderFault("another request added the person at the same time") from error

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Log the fault and raise ImmediateHttpResponse with our own page.

        Neither the page nor the log contains texts from the provider.
        """
        status, words = 401, str(NOT_FINISHED)
        if isinstance(exception, ProviderRefused):
            status, words = 403, str(exception)
        elif error == AuthError.CANCELLED:
            words = CANCELLED % {"provider": settings.OIDC_NAME}
        elif isinstance(exception, RequestException):
            status, words = 503, NO_ANSWER % {"provider": settings.OIDC_NAME}
        # The text of any other exception may quote the provider's answer.
        is_ours = isinstance(exception, ProviderFault)
        fault = str(exception) if is_ours else type(exception).__name__ if exception else error
        logger.warning("sign-in by the identity provider: %s", fault)
        raise ImmediateHttpResponse(refuse(request, words, status))


def refuse(request: HttpRequest, words: str, status: int = 403) -> HttpResponse:
    """Return the page with the reason why a person was not signed in."""
    return render(request, "account/provider_refused.html", {"words": words}, status=status)


def refuse_local_sign_in(request: HttpRequest, person: User) -> HttpResponse:
    """Return the page for a person who must sign in with the provider; record the attempt."""
    _record_refused(request, person, gettext_noop("did not use the identity provider"))
    return refuse(request, SIGN_IN_THERE % {"provider": settings.OIDC_NAME})


def go_to_provider(request: HttpRequest, *, confirms: bool = False) -> HttpResponse:
    """Send the browser to the provider's sign-in; `confirms` asks for a factor again.

    The response is a page and not a redirect, because `form-action` of the Content Security Policy
    applies to all redirects after a form, and a provider may redirect to any address.
    """
    provider = get_adapter(request).get_provider(request)
    question = {"nonce": secrets.token_urlsafe(24)}
    once_more = {"prompt": "login", "max_age": "0"} if confirms else {}
    try:
        answer = provider.redirect(
            request,
            process=AuthProcess.REDIRECT if confirms else AuthProcess.LOGIN,
            next_url=get_next_redirect_url(request),
            data={**question, "at": time.time()},
            auth_params={**question, **once_more},
        )
    except (OAuth2Error, RequestException) as error:
        refusal: HttpResponse = render_authentication_error(request, provider, exception=error)
        return refusal
    context = {"url": answer.url, "provider": settings.OIDC_NAME}
    return render(request, "account/provider_go.html", context)


def complete_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Ask the provider for the person's identity, and sign the person in or confirm them."""
    adapter = ClaimsAdapter(request, settings.OIDC_ISSUER)
    try:
        answer: HttpResponseBase = OAuth2CallbackView.adapter_view(adapter)(request)
    except (OAuth2Error, RequestException) as error:
        # allauth handles no error while it reads the provider's published configuration.
        answer = render_authentication_error(request, adapter.get_provider(), exception=error)
    return answer


def note_sign_in_at_provider(request: HttpRequest, person: User, sociallogin: SocialLogin) -> None:
    """Record in the session the time when the provider identified the person.

    This is the time of the sign-in at the provider, which may have been hours ago. Such an old
    sign-in does not confirm the person now.
    """
    identity: Identity = sociallogin.identity
    clear_authentication_records(request)
    record_authentication(
        request,
        person,
        BY_PROVIDER,
        at=min(identity.auth_time, time.time()),
        has_two_step=identity.has_two_step,
        type=_TWO_STEPS if identity.has_two_step else _ONE_STEP,
    )


def _find_roles(identity: Identity) -> list[tuple[str, str]]:
    return [place for group in identity.groups for place in settings.OIDC_ROLES.get(group, ())]


def _admit(request: HttpRequest, sociallogin: SocialLogin) -> None:
    """Check that the person may sign in; set the roles of a known person.

    Raise ProviderRefused, and record this, for a superuser or a person without a role. For an
    inactive person, only record this.
    """
    places = _find_roles(sociallogin.identity)
    person = sociallogin.user if sociallogin.is_existing else None
    if person and not person.is_active:
        # allauth shows the page for closed accounts.
        _record_refused(request, person, gettext_noop("inactive"))
        return
    if person and person.is_superuser:
        _record_refused(request, person, gettext_noop("superuser from the identity provider"))
        raise ProviderRefused(str(SUPERUSERS_SIGN_IN_HERE))
    if person:
        provided_people.set_provided_roles(person, places)
    if not places:
        _record_refused(request, person, gettext_noop("no role from the identity provider"))
        raise ProviderRefused(NO_ROLE % {"provider": settings.OIDC_NAME})


def _record_refused(request: HttpRequest, person: User | None, detail: str) -> None:
    subject = person.username if person else ""
    record(request, "sign-in", subject=subject, outcome="refused", detail=detail)


def _confirm(request: HttpRequest, sociallogin: SocialLogin, *, asked_at: float) -> None:
    """Record that the person just gave a factor at the provider. Raise ProviderRefused if not."""
    person, auth_time = request.user, sociallogin.identity.auth_time
    if not (isinstance(person, User) and sociallogin.is_existing and sociallogin.user == person):
        raise ProviderRefused(str(ANOTHER_PERSON))
    if auth_time < asked_at - _CLOCKS_DIFFER:
        raise ProviderRefused(NOT_ASKED_AGAIN % {"provider": settings.OIDC_NAME})
    at = min(auth_time, time.time())
    record_authentication(request, person, BY_PROVIDER, at=at, reauthenticated=True)
