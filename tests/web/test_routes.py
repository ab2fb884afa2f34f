"""Every route against the table `routes.txt`: as a stranger and as each role, by each method, in
one's own app and in another.

A row is `route | methods | who`. `@/` is below an app; `*` behind a method asks first who it is.
`who` is everybody, signed in, superuser, or the permissions that a person needs: `lending.` is left
out, `~` stands for `dashboard.`, `+` for a function that gives the further ones of one address.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.contrib.messages import get_messages
from django.http import Http404, HttpResponse
from django.test import Client, RequestFactory
from django.urls import get_resolver, resolve

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import RIGHTS, ROLES
from lendingadmin.web.access import AccessMiddleware, routes, rule_of
from tests.conftest import ClientOf
from tests.roles import give_roles

TABLE = Path(__file__).with_name("routes.txt")
EVERYBODY, SIGNED_IN = "everybody", "signed in"
SIGN_IN = "/accounts/login/"
# Of allauth's views.
_OF_OTHERS = ("GET", "POST")


class Row(NamedTuple):
    """A route as the table has it."""

    route: str
    methods: str
    who: str

    @property
    def permissions(self) -> list[str]:
        """The names of the permissions; none where it is for all who are signed in."""
        names = () if self.who in (EVERYBODY, SIGNED_IN) else self.who.split()
        return [
            name.replace("~", "dashboard.") if name.startswith("~") else f"lending.{name}"
            for name in names
            if not name.startswith("+")
        ]

    @property
    def is_of_app(self) -> bool:
        return self.route.startswith("@/")


ROWS = [Row(*line.split(" | ")) for line in TABLE.read_text().splitlines()]


def shorten(route: str) -> str:
    """A route as the table writes it."""
    short = re.sub(r"<(?:\w+:)?(\w+)>", r"<\1>", route.replace("apps/<slug:app_id>/", "@/"))
    short = short.replace("borrowers/<borrower_id>/", "borrowers/<id>/")
    short = short.replace("offers/<request_id>/", "offers/<id>/")
    return short.replace("<account_id>/<event_type>/<timestamp>", "<event>") or "/"


def describe(view: Callable[..., Any]) -> tuple[str, str]:
    """Methods and `who` of a view, as the table writes them."""
    rule = rule_of(view)
    if rule is None:
        return " ".join(_OF_OTHERS), ""
    methods = [x + "*" * (x in rule.confirmed) for x in sorted(rule.methods - {"HEAD"})]
    if rule.permissions is None:
        return " ".join(methods), EVERYBODY
    names = [name.removeprefix("lending.") for name in rule.permissions]
    names = [name.replace("dashboard.", "~") for name in names]
    names += [f"+{rule.needs.__name__}"] if rule.needs else []
    return " ".join(methods), " ".join(names) or SIGNED_IN


def fill(route: str, app_id: str = "kenya") -> str:
    """An address that a route of the URLconf matches, with something harmless for each part."""
    parts = {"slug": app_id, "int": "1", "key": "x", "path": "x", "str": "x"}
    filled = re.sub(r"<(?:(\w+):)?\w+>", lambda found: parts.get(found[1] or "str", "x"), route)
    return "/" + re.sub(r"[\^$]", "", filled)


def list_routes() -> list[tuple[Row, str, tuple[str, ...]]]:
    """Each row with its route of the URLconf and all methods of its view."""
    found = []
    every = list(routes(get_resolver().url_patterns))
    for row, (route, view) in zip(ROWS, every, strict=True):
        rule = rule_of(view)
        found.append((row, route, tuple(sorted(rule.methods)) if rule else _OF_OTHERS))
    return found


def test_the_table_has_each_route_as_it_is_declared() -> None:
    declared = []
    for route, view in routes(get_resolver().url_patterns):
        methods, who = describe(view)
        row = next((row for row in ROWS if row.route == shorten(route)), None)
        # Who reaches a page of allauth is written in the table alone, and walked below.
        is_allauth = not who and row is not None and row.who in (EVERYBODY, SIGNED_IN)
        declared.append(Row(shorten(route), methods, row.who if is_allauth and row else who))
    assert [" | ".join(row) for row in declared] == TABLE.read_text().splitlines()


def test_only_health_and_signing_in_are_public() -> None:
    assert {row.route for row in ROWS if row.who == EVERYBODY} == {
        *("accounts/inactive/", "accounts/signup/"),  # allauth's; both say that it is closed
        "healthz",
        "accounts/session",
        "readyz",
        "metrics",  # who brings its token
        "accounts/login/",
        "accounts/provider/",
        "accounts/provider/callback",
        "accounts/set-up/<uidb64>/<token>/",
    }


def test_no_view_is_exempt_from_csrf_protection() -> None:
    every = routes(get_resolver().url_patterns)
    exempt = [shorten(route) for route, view in every if getattr(view, "csrf_exempt", False)]
    assert exempt == []


def test_a_stranger_is_led_to_sign_in_from_all_but_what_is_everybody_s(
    client_of: ClientOf, db: None
) -> None:
    client = client_of(None)
    for row, route, methods in list_routes():
        for method in methods if row.who != EVERYBODY else ():
            answer = client.generic(method, fill(route))
            assert (answer.status_code, row.route) == (302, row.route)
            assert answer["Location"].startswith(SIGN_IN), row.route


@pytest.mark.parametrize("headers", [{"Accept": "text/html,*/*"}, {"HX-Request": "true"}])
def test_who_is_signed_out_at_a_post_is_told_that_nothing_was_sent(
    headers: dict[str, str], client_of: ClientOf, db: None
) -> None:
    for row, route, methods in list_routes():
        address = fill(route)
        is_ours = row.who != EVERYBODY and "accounts/" not in route
        if is_ours and "POST" in methods:
            answer = client_of(None).post(address, headers=headers)
            assert (answer.get("HX-Redirect") or answer["Location"]).startswith(SIGN_IN), address
            told = [message.level_tag for message in get_messages(answer.wsgi_request)]
            assert told == ["warning"], address


@pytest.fixture
def bare_refusals(settings: Any) -> None:
    """The page of a refusal is its cause alone: thousands are asked for."""
    pages = {"403.html": "{{ card.cause }}", "_error_card.html": "{{ card.cause }}"}
    loader = ("django.template.loaders.locmem.Loader", pages)
    engine = {"BACKEND": "django.template.backends.django.DjangoTemplates"}
    settings.TEMPLATES = [engine | {"OPTIONS": {"loaders": [loader]}}]


class Gate:
    """Asks for a person whether a view may run, without running it."""

    def __init__(self, client: Client, person: User) -> None:
        self._session, self._person = client.session, person
        self._middleware = AccessMiddleware(lambda request: HttpResponse())

    def ask(self, method: str, address: str) -> int:
        """Return the status that is answered instead of the view; 200 where it runs."""
        request: Any = RequestFactory().generic(method, address)
        request.session, request.user = self._session, User.objects.get(pk=self._person.pk)
        request.resolver_match = match = resolve(address)
        try:
            answer = self._middleware.process_view(request, match.func, match.args, match.kwargs)
        except Http404:
            return 404
        return answer.status_code if answer else 200

    def walk(self, role: str, app_id: str) -> None:
        """Ask for every route of ours by each of its methods, and by one that it does not have."""
        for row, route, methods in list_routes():
            if row.who == EVERYBODY or "accounts/" in route:
                continue
            for method in methods:
                status = self.ask(method, fill(route, app_id))
                assert (status == 403, row.route) == (is_refused(row, role), row.route)
            assert self.ask("DELETE", fill(route, app_id)) in (403, 404, 405), row.route


def is_refused(row: Row, role: str) -> bool:
    """Whether somebody of a role gets the page that refuses them."""
    return any(role not in RIGHTS[name].roles for name in row.permissions)


@pytest.mark.parametrize("role", ROLES)
def test_each_role_is_refused_exactly_what_it_has_no_right_to(
    role: str, people: dict[str, User], client_of: ClientOf, bare_refusals: None
) -> None:
    Gate(client_of(people[role]), people[role]).walk(role, "kenya")


@pytest.mark.parametrize("role", ROLES)
def test_a_role_in_one_app_opens_nothing_of_another(
    role: str, people: dict[str, User], client_of: ClientOf, bare_refusals: None
) -> None:
    person = people[role]
    person.app_roles.exclude(app_id="ghana").delete()
    gate = Gate(client_of(person), person)
    for row, route, methods in list_routes():
        for method in methods if row.is_of_app else ():
            assert (gate.ask(method, fill(route)), row.route) == (403, row.route)
    gate.walk(role, "ghana")


def test_what_the_gate_refuses_does_not_run(viewer: User, client_of: ClientOf) -> None:
    """A few through the whole of the dashboard; which rows, the gate says above."""
    client = client_of(viewer)
    refused = [one for one in list_routes() if one[0].is_of_app and is_refused(one[0], "viewer")]
    for row, route, methods in refused[::6]:
        answer = client.generic(methods[0], fill(route))
        assert (answer.status_code, row.route) == (403, row.route)


def test_an_app_that_is_not_listed_does_not_exist(manager: User, client_of: ClientOf) -> None:
    give_roles(manager, "manager", apps=["tanzania"])
    assert client_of(manager).get("/apps/tanzania/loans/").status_code == 404


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "PATCH", "DELETE", "TRACE"])
@pytest.mark.parametrize("path", ["/accounts/reauthenticate/", "/accounts/2fa/"])
def test_views_of_others_know_no_further_methods(
    method: str, path: str, client_of: ClientOf, db: None
) -> None:
    superuser = User.objects.create_superuser("root")
    answer = client_of(superuser).generic(method, path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD, POST")
