"""Who reaches what: every address as a stranger and as each role."""

import re
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import get_resolver, path

from lendingadmin.staff.models import User
from lendingadmin.staff.roles import RIGHTS
from lendingadmin.web.access import access, guards_itself, public, routes, rule_of, signed_in

AUTOSAVE = "/typed"


def answer(request: HttpRequest) -> HttpResponse:
    return HttpResponse("reached")


@access("lending.loans.makeRepayment", methods=("GET", "POST"))
def repay(request: HttpRequest) -> HttpResponse:
    return HttpResponse("reached")


@access("dashboard.audit.view")
def read_only(request: HttpRequest) -> HttpResponse:
    return HttpResponse("reached")


@signed_in()
def anybody_signed_in(request: HttpRequest) -> HttpResponse:
    return HttpResponse("reached")


@public(methods=("POST",))
def post_only(request: HttpRequest) -> HttpResponse:
    return HttpResponse("reached")


@pytest.fixture
def addresses(settings: Any) -> None:
    """The product's addresses, with a few of this file's before them."""
    product = import_module(settings.ROOT_URLCONF)
    module = ModuleType("addresses")
    module.handler403 = product.handler403  # type: ignore[attr-defined]
    module.urlpatterns = [  # type: ignore[attr-defined]
        path("t/undeclared", answer),
        path("t/repay", repay),
        path("t/read", read_only),
        path("t/anybody", anybody_signed_in),
        path("t/post", post_only),
        *product.urlpatterns,
    ]
    settings.ROOT_URLCONF = module


Session = Callable[[User | None], Client]


@pytest.mark.usefixtures("addresses")
class TestOneView:
    @pytest.mark.parametrize("role", [None, "viewer", "manager"])
    def test_a_view_without_declared_access_does_not_exist(
        self, role: str | None, people: dict[str, User], client_of: Session
    ) -> None:
        assert client_of(people[role] if role else None).get("/t/undeclared").status_code == 404

    def test_not_even_for_a_superuser(self, client_of: Session, db: None) -> None:
        root = User.objects.create_superuser("root")
        assert client_of(root).get("/t/undeclared").status_code == 404

    def test_a_stranger_is_sent_to_sign_in_and_back(self, client_of: Session, db: None) -> None:
        answer = client_of(None).get("/t/repay?amount=5&x=a+b")
        assert answer.status_code == 302
        assert answer["Location"] == "/accounts/login/?next=/t/repay%3Famount%3D5%26x%3Da%2Bb"

    def test_a_strangers_post_comes_back_to_its_page_not_to_the_post(
        self, client_of: Session, db: None
    ) -> None:
        answer = client_of(None).post("/t/repay", headers={"referer": "http://testserver/page?x=1"})
        assert answer["Location"] == "/accounts/login/?next=/page%3Fx%3D1"

    @pytest.mark.parametrize(
        ("page", "back"),
        [
            ("https://evil.example/page", "/"),
            ("//evil.example/page", "/"),
            ("", "/"),
            ("nonsense", "/nonsense"),
            ("http://testserver", "/"),
            ("http://testserver//evil.example/page", "/evil.example/page"),
        ],
    )
    def test_what_is_come_back_to_is_a_path_of_ours(
        self, page: str, back: str, client_of: Session, db: None
    ) -> None:
        answer = client_of(None).post("/t/repay", headers={"referer": page})
        assert answer["Location"] == f"/accounts/login/?next={back}"

    def test_a_strangers_fragment_leaves_the_page_instead_of_swallowing_the_sign_in_form(
        self, client_of: Session, db: None
    ) -> None:
        answer = client_of(None).get(
            "/t/repay",
            headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/loans/7?tab=2"},
        )
        assert answer.status_code == 200
        assert answer["HX-Redirect"] == "/accounts/login/?next=/loans/7%3Ftab%3D2"
        assert answer.content == b""

    def test_a_role_without_the_right_is_told_which_one_has_it(
        self, viewer: User, client_of: Session
    ) -> None:
        answer = client_of(viewer).get("/t/repay")
        assert answer.status_code == 403
        text = answer.content.decode()
        assert "To record repayments you need the role support or manager" in text
        assert "viewer (viewer)" in text
        assert "reached" not in text

    def test_a_refused_fragment_is_a_card_that_htmx_will_show(
        self, viewer: User, client_of: Session
    ) -> None:
        answer = client_of(viewer).get("/t/repay", headers={"HX-Request": "true"})
        assert answer.status_code == 200
        assert "support or manager" in answer.content.decode()
        assert "<html" not in answer.content.decode()

    def test_the_right_role_gets_in(self, support: User, client_of: Session) -> None:
        client = client_of(support)
        assert client.get("/t/repay").content == b"reached"
        assert client.post("/t/repay").content == b"reached"
        assert client.head("/t/repay").status_code == 200

    def test_a_role_that_is_taken_away_counts_at_once(
        self, support: User, client_of: Session
    ) -> None:
        client = client_of(support)
        support.groups.clear()
        assert client.get("/t/repay").status_code == 403

    def test_a_deactivated_person_is_a_stranger(self, support: User, client_of: Session) -> None:
        client = client_of(support)
        User.objects.filter(pk=support.pk).update(is_active=False)
        assert client.get("/t/repay").status_code == 302

    @pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options", "trace"])
    def test_other_methods_are_refused(
        self, method: str, manager: User, client_of: Session
    ) -> None:
        answer = getattr(client_of(manager), method)("/t/read")
        assert answer.status_code == 405
        assert answer["Allow"] == "GET, HEAD"

    def test_get_and_head_are_not_taken_for_granted(self, client_of: Session, db: None) -> None:
        assert client_of(None).get("/t/post").status_code == 405
        assert client_of(None).head("/t/post").status_code == 405

    def test_signed_in_is_enough_where_a_view_says_so(self, client_of: Session, db: None) -> None:
        assert client_of(None).get("/t/anybody").status_code == 302
        nobody = User.objects.create_user("nobody")
        assert client_of(nobody).get("/t/anybody").status_code == 200

    def test_the_system_check_names_the_view(self) -> None:
        with pytest.raises(SystemCheckError, match=r"E001.*\n?.*t/undeclared|t/undeclared"):
            call_command("check", tags=["urls"])


def test_an_unknown_permission_is_refused_at_import() -> None:
    with pytest.raises(ValueError, match=r"lending\.loans\.lst"):
        access("lending.loans.lst")


def test_every_address_of_the_product_declares_its_access() -> None:
    undeclared = [
        route
        for route, view, names in routes(get_resolver().url_patterns)
        if rule_of(view) is None and not guards_itself(view, names)
    ]
    assert undeclared == []


def test_only_health_is_public() -> None:
    open_to_all = {
        route
        for route, view, _ in routes(get_resolver().url_patterns)
        if (rule := rule_of(view)) and rule.permission is None
    }
    assert open_to_all == {"healthz", "readyz"}


def _sample(route: str) -> str:
    """An address that a route matches, with something harmless for each part of it."""
    parts = {"slug": "kenya", "int": "1", "key": "x", "path": "x", "str": "x"}
    filled = re.sub(r"<(?:(\w+):)?\w+>", lambda found: parts.get(found[1] or "str", "x"), route)
    return "/" + re.sub(r"\(\?P<url>\.\*\)\$|[\^$]", "", filled)


def _ours() -> list[tuple[str, str, frozenset[str]]]:
    return [
        (_sample(route), rule.permission, rule.methods)
        for route, view, _ in routes(get_resolver().url_patterns)
        if (rule := rule_of(view)) and rule.permission is not None
    ]


def test_a_stranger_reaches_no_page_of_ours(client_of: Session, db: None) -> None:
    client = client_of(None)
    for address, _, methods in _ours():
        for method in methods:
            answer = client.generic(method, address)
            assert (answer.status_code, address) == (302, address)
            assert answer["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("headers", [{"Accept": "text/html,*/*"}, {"HX-Request": "true"}])
def test_who_is_signed_out_at_a_post_is_told_that_nothing_was_sent(
    headers: dict[str, str], support: User, client_of: Session
) -> None:
    for address, _, methods in _ours():
        if "POST" in methods and address != AUTOSAVE:
            client = client_of(support)
            client.cookies.pop("sessionid")  # it is over
            answer = client.post(address, headers=headers)
            page = client.get(answer.get("HX-Redirect") or answer["Location"])
            assert "it was not sent, and nothing was saved" in page.content.decode(), address


def test_who_only_opens_a_page_or_types_is_told_nothing(client_of: Session, db: None) -> None:
    client = client_of(None)
    client.get("/apps/kenya/", headers={"Accept": "text/html"})
    client.post(AUTOSAVE, headers={"Accept": "*/*"})
    assert "was not sent" not in client.get("/accounts/login/").content.decode()


@pytest.mark.parametrize("role", ["viewer", "officer", "support", "manager"])
def test_each_role_is_refused_exactly_what_it_has_no_right_to(
    role: str, people: dict[str, User], client_of: Session
) -> None:
    client = client_of(people[role])
    for address, permission, methods in _ours():
        refused = bool(permission) and role not in RIGHTS[permission].roles
        for method in methods:
            answer = client.generic(method, address)
            assert (answer.status_code == 403, address) == (refused, address)


@pytest.mark.parametrize("role", [None, "viewer", "officer", "support"])
def test_nobody_but_managers_reaches_the_admin(
    role: str | None, people: dict[str, User], client_of: Session
) -> None:
    client = client_of(people[role] if role else None)
    for route, _view, names in routes(get_resolver().url_patterns):
        if "admin" in names and not route.endswith(("login/", "logout/")):
            answer = client.get(_sample(route), follow=True)
            where = answer.redirect_chain[-1][0] if answer.redirect_chain else route
            if role is None:
                assert where.startswith("/accounts/login/"), route
            else:
                assert answer.status_code in (403, 404), (route, answer.status_code)


def test_a_custom_group_gives_its_own_rights_only(client_of: Session, db: None) -> None:
    group = Group.objects.create(name="auditors")
    group.permissions.add(Permission.objects.get(codename="audit.view"))
    person = User.objects.create_user("ann")
    person.groups.add(group)
    client = client_of(person)
    assert client.get("/audit/").status_code == 200
    assert client.get("/admin/", follow=True).status_code == 403
