"""Who reaches what: every address as a stranger and as each role."""

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client
from django.urls import get_resolver, path

import lendingadmin
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import RIGHTS, describe_roles
from lendingadmin.web.access import access, guards_itself, public, routes, rule_of, signed_in
from tests.conftest import ClientOf
from tests.roles import give_roles, hold_only, take_roles
from tests.web.marks import list_marks

SUGGEST = "/apps/kenya/find/suggest"
HOUSE = Path(lendingadmin.__file__).parent


def answer(request: HttpRequest) -> HttpResponse:
    return HttpResponse("reached")


@access("lending.loans.makeRepayment", methods=("GET", "POST"))
def repay(request: HttpRequest) -> HttpResponse:
    return HttpResponse("reached")


@access("dashboard.audit.view")
def read_only(request: HttpRequest) -> HttpResponse:
    return HttpResponse("reached")


@access("dashboard.export", "lending.loans.list", "dashboard.audit.view")
def all_of_them(request: HttpRequest) -> HttpResponse:
    return HttpResponse("reached")


def by_its_name(request: HttpRequest, name: str) -> list[str]:
    if name == "nothing":
        raise Http404
    return [name]


@access("lending.loans.list", needs=by_its_name)
def depends(request: HttpRequest, name: str) -> HttpResponse:
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
        path("t/all", all_of_them),
        path("t/depends/<str:name>", depends),
        path("t/anybody", anybody_signed_in),
        path("t/post", post_only),
        *product.urlpatterns,
    ]
    settings.ROOT_URLCONF = module


Session = ClientOf


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
        assert list_marks(answer, "finding") == ["role"]
        repay = "lending.loans.makeRepayment"
        assert RIGHTS[repay].words in text and describe_roles(repay) in text
        assert describe_roles(repay) == "support or manager"
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
        take_roles(support)
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

    @pytest.mark.parametrize("lacking", ["export", "loans.list", "audit.view"])
    def test_each_of_several_permissions_is_needed(
        self, lacking: str, client_of: Session, db: None
    ) -> None:
        person, names = User.objects.create_user("ann"), ["export", "loans.list", "audit.view"]
        hold_only(person, *names)
        assert client_of(person).get("/t/all").content == b"reached"
        hold_only(person, *(name for name in names if name != lacking))
        answer = client_of(person).get("/t/all")
        assert answer.status_code == 403
        (right,) = (right for name, right in RIGHTS.items() if name.endswith(f".{lacking}"))
        assert right.words in answer.content.decode()
        assert list_marks(answer, "finding") == ["role"]

    def test_what_depends_on_the_address_is_needed_besides(
        self, viewer: User, manager: User, client_of: Session
    ) -> None:
        page = "/t/depends/dashboard.audit.view"
        assert client_of(None).get(page).status_code == 302
        assert client_of(viewer).get(page).status_code == 403
        assert client_of(viewer).get("/t/depends/lending.loans.get").content == b"reached"
        assert client_of(manager).get(page).content == b"reached"
        assert client_of(manager).get("/t/depends/nothing").status_code == 404
        nobody = User.objects.create_user("nobody")
        assert client_of(nobody).get("/t/depends/nothing").status_code == 403

    def test_the_system_check_names_the_view(self) -> None:
        with pytest.raises(SystemCheckError, match=r"E001.*\n?.*t/undeclared|t/undeclared"):
            call_command("check", tags=["urls"])


def test_an_unknown_permission_is_refused_at_import() -> None:
    with pytest.raises(ValueError, match=r"lending\.loans\.lst"):
        access("lending.loans.lst")


def test_every_address_of_the_product_declares_its_access() -> None:
    undeclared = [
        route
        for route, view in routes(get_resolver().url_patterns)
        if rule_of(view) is None and not guards_itself(view)
    ]
    assert undeclared == []


@pytest.mark.parametrize("charset", ["utf-16", "utf-7", "rot13", "none-such"])
@pytest.mark.parametrize("path", ["/accounts/login/", "/apps/kenya/find", "/nowhere"])
def test_a_stranger_s_charset_breaks_nothing(charset: str, path: str, db: None) -> None:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    sent = f"application/x-www-form-urlencoded; charset={charset}"
    assert client.generic("POST", path, b"\xff\xfea=%FF", sent).status_code < 500


def test_a_custom_group_gives_its_own_rights_only(client_of: Session, db: None) -> None:
    group = Group.objects.create(name="auditors")
    group.permissions.add(Permission.objects.get(codename="audit.view"))
    person = User.objects.create_user("ann")
    give_roles(person, group)
    client = client_of(person)
    assert client.get("/audit/").status_code == 200


def test_who_only_opens_a_page_or_types_is_told_nothing(client_of: Session, db: None) -> None:
    client = client_of(None)
    client.get("/apps/kenya/", headers={"Accept": "text/html"})
    client.post(SUGGEST, headers={"Accept": "*/*"})
    assert list(client.get("/accounts/login/").context["messages"]) == []


def test_no_view_refuses_anybody_by_itself() -> None:
    """What a view needs stands in its declaration, so that the table above is the whole truth."""
    by_hand = [
        str(file.relative_to(HOUSE))
        for file in HOUSE.rglob("*.py")
        if re.search(r"raise PermissionDenied|\brefusal\(request", file.read_text())
        and "sandbox" not in file.parts
    ]
    assert by_hand == []
