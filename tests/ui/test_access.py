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
from lendingadmin.staff.models import User
from lendingadmin.staff.roles import RIGHTS
from lendingadmin.ui.access import access, guards_itself, public, routes, rule_of, signed_in
from tests.conftest import ClientOf
from tests.roles import give_roles, hold_only, take_roles

AUTOSAVE = "/autosave"
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
        assert f"To {right.words} you need" in answer.content.decode()

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
        for route, view, names in routes(get_resolver().url_patterns)
        if rule_of(view) is None and not guards_itself(view, names)
    ]
    assert undeclared == []


def test_only_health_and_signing_in_are_public() -> None:
    open_to_all = {
        route
        for route, view, _ in routes(get_resolver().url_patterns)
        if (rule := rule_of(view)) and rule.permissions is None
    }
    assert open_to_all == {
        "healthz",
        "readyz",
        "accounts/login/",
        "accounts/provider/",
        "accounts/provider/callback",
        "accounts/set-up/<uidb64>/<token>/",
    }


def _sample(route: str) -> str:
    """An address that a route matches, with something harmless for each part of it."""
    parts = {"slug": "kenya", "int": "1", "key": "x", "path": "x", "str": "x"}
    filled = re.sub(r"<(?:(\w+):)?\w+>", lambda found: parts.get(found[1] or "str", "x"), route)
    return "/" + re.sub(r"\(\?P<url>\.\*\)\$|[\^$]", "", filled)


def _ours() -> list[tuple[str, tuple[str, ...], frozenset[str]]]:
    return [
        (_sample(route), rule.permissions, rule.methods)
        for route, view, _ in routes(get_resolver().url_patterns)
        if (rule := rule_of(view)) and rule.permissions is not None
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
    for address, permissions, methods in _ours():
        refused = any(role not in RIGHTS[name].roles for name in permissions)
        for method in methods:
            answer = client.generic(method, address)
            assert (answer.status_code == 403, address) == (refused, address)


@pytest.mark.parametrize("role", ["viewer", "officer", "support", "manager"])
def test_a_role_in_one_app_opens_nothing_of_another(
    role: str, people: dict[str, User], client_of: Session
) -> None:
    person = people[role]
    person.app_roles.exclude(app_id="ghana").delete()
    client = client_of(person)
    for address, _permissions, methods in _ours():
        for method in methods if address.startswith("/apps/kenya/") else ():
            answer = client.generic(method, address)
            assert (answer.status_code, address) == (403, address)
            assert method == "HEAD" or "no role in kenya" in answer.content.decode()
    for address, permissions, methods in _ours():
        refused = any(role not in RIGHTS[name].roles for name in permissions)
        for method in methods:
            answer = client.generic(method, address.replace("/kenya/", "/ghana/"))
            assert (answer.status_code == 403, address) == (refused, address)


def test_an_app_that_is_not_listed_does_not_exist(manager: User, client_of: Session) -> None:
    give_roles(manager, "manager", apps=["tanzania"])
    assert client_of(manager).get("/apps/tanzania/loans/").status_code == 404


@pytest.mark.parametrize("role", [None, "viewer", "officer", "support", "manager"])
def test_nobody_but_superusers_reaches_the_admin(
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


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "PATCH", "DELETE", "TRACE"])
@pytest.mark.parametrize("path", ["/admin/", "/admin/staff/user/", "/accounts/login/"])
def test_views_of_others_know_no_further_methods(
    method: str, path: str, client_of: Session, db: None
) -> None:
    superuser = User.objects.create_superuser("root")
    answer = client_of(superuser).generic(method, path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD, POST")


@pytest.mark.parametrize("charset", ["utf-16", "utf-7", "rot13", "none-such"])
@pytest.mark.parametrize("path", ["/accounts/login/", "/autosave", "/nowhere"])
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
    assert client.get("/admin/", follow=True).status_code == 403


# Each address of ours and the permissions that it declares: `lending.` is left out, `~` stands for
# `dashboard.`, `+` for a function that gives the further ones of one address. Below @: of an app.
DECLARED = """
accounts/provider/confirm
accounts/profile/
accounts/profile/sessions/end
people/ | ~people.manage
people/new | ~people.manage
people/<number>/ | ~people.manage
people/<number>/set-up-link | ~people.manage
people/<number>/password/require | ~people.manage
people/<number>/sessions/end | ~people.manage
people/<number>/two-step/remove | ~people.manage
people/<number>/changes/<change>/approve | ~people.manage
people/<number>/changes/<change>/decline | ~people.manage
people/<number>/deactivate | ~people.manage
people/<number>/reactivate | ~people.manage
glossary/
audit/ | ~audit.view
autosave
/
@/ | loans.list
@/payment | loans.makeRepayment loans.get
@/book/count | ~portfolio.count
@/book/stop | ~portfolio.count
@/book/progress | loans.list
@/book/<number>/ | loans.list
@/loans/lists/ | loans.list
@/loans/lists/export.csv | ~export loans.list
@/loans/lists/new | loans.list
@/loans/lists/<number>/ | loans.list
@/loans/lists/<number>/export.csv | ~export loans.list
@/loans/lists/<number>/pin | loans.list
@/loans/lists/<number>/delete | loans.list
products/ | products.list
products/<product_id>/ | products.list
assessment-types/ | assessmentTypes.list
assessment-types/<type_id>/ | assessmentTypes.list
exports/<token>/ | ~export
@/borrowers/export.csv | ~export borrowers.list
@/loans/export.csv | ~export loans.list
@/assessments/export.csv | ~export assessments.list
products/export.csv | ~export products.list
assessment-types/export.csv | ~export assessmentTypes.list
@/neighbours | +list_needs
@/writes/<idempotency_key>/ | +write_needs
@/writes/<idempotency_key>/status | +write_needs
@/writes/<idempotency_key>/check | +write_needs
@/writes/<idempotency_key>/resolve | +resolve_needs
@/writes/<idempotency_key>/alarm | ~repayments.resolve +write_needs
@/find
@/find/last
@/find/suggest | ~borrowers.search
@/find/for/<encrypted>
@/find/for/<encrypted>/in/<place> | +lookup_needs
@/borrowers/ | borrowers.list
@/borrowers/new | borrowers.create
@/borrowers/used-values | borrowers.list
@/borrowers/<id>/ | borrowers.get
@/borrowers/<id>/name | borrowers.get
@/borrowers/<id>/revealed | ~personalContent.reveal borrowers.get
@/borrowers/<id>/edit | borrowers.patch borrowers.get
@/borrowers/<id>/edit/<form> | borrowers.patch borrowers.get
@/borrowers/<id>/delete | borrowers.delete borrowers.get
@/borrowers/<id>/panels/record | borrowers.get
@/borrowers/<id>/panels/loans | loans.list
@/borrowers/<id>/panels/assessments | assessments.list
@/borrowers/<id>/panels/events | events.list
@/borrowers/<id>/offers/ | borrowers.get
@/borrowers/<id>/offers/new | borrowers.getOffers
@/borrowers/<id>/offers/<id>/ | borrowers.getOffers
@/borrowers/<id>/offers/<id>/status | borrowers.getOffers
@/borrowers/<id>/offers/<id>/ask | borrowers.getOffers
@/borrowers/<id>/offers/<id>/contracts | borrowers.getOfferContracts
@/borrowers/<id>/offers/<id>/contracts/<product_id>/loan | loans.create borrowers.getOfferContracts
@/loans/ | loans.list
@/loans/new | loans.create
@/loans/<account_id>/ | loans.get
@/loans/<account_id>/delete | loans.delete loans.get
@/assessments/ | assessments.list
@/assessments/new | assessments.create
@/assessments/compare | assessments.get
@/assessments/<assessment_id>/ | assessments.get
@/assessments/<assessment_id>/status | assessments.get
@/loans/<account_id>/repayments/new | loans.makeRepayment loans.get
@/borrowers/<id>/repayments/new | loans.makeRepayment loans.get loans.list
@/loans/<account_id>/repayments/<idempotency_key>/confirm | loans.makeRepayment loans.get
@/repayments/ | loans.get
@/repayments/export.csv | ~export loans.get
@/repayments/day/ | ~repayments.statement
@/repayments/day/export.csv | ~repayments.statement ~export
@/repayments/unknown/ | loans.get
@/repayments/<number>/ | loans.get
@/repayments/<number>/status | loans.get
@/repayments/<number>/print | loans.get
@/repayments/<number>/check | loans.get
@/repayments/<number>/approve | ~repayments.approve loans.get
@/repayments/<number>/decline | loans.get +decline_needs
@/repayments/<number>/resolve | ~repayments.resolve loans.get
@/repayments/<number>/set-aside | ~repayments.setAside loans.get
@/repayments/<number>/alarm | ~repayments.resolve loans.get
@/repayments/<number>/report | ~repayments.reportMistake loans.get
@/repayments/<number>/mistakes/<mistake_id>/review | ~repayments.reviewMistake loans.get
@/events/ | events.list
@/events/export.csv | ~export events.list
@/events/reported | events.list
@/events/new | events.create
@/events/new/<form> | events.create
@/events/<event>/ | events.list
@/events/<event>/revealed | ~personalContent.reveal events.list
"""


def test_each_address_declares_exactly_the_permissions_of_the_table() -> None:
    declared = []
    for route, view, _ in routes(get_resolver().url_patterns):
        rule = rule_of(view)
        if rule is None or rule.permissions is None:
            continue
        short = re.sub(r"<(?:\w+:)?(\w+)>", r"<\1>", route.replace("apps/<slug:app_id>/", "@/"))
        short = short.replace("borrowers/<borrower_id>/", "borrowers/<id>/")
        short = short.replace("offers/<request_id>/", "offers/<id>/")
        short = short.replace("<account_id>/<event_type>/<timestamp>", "<event>")
        names = [name.removeprefix("lending.") for name in rule.permissions]
        names = [name.replace("dashboard.", "~") for name in names]
        names += [f"+{rule.needs.__name__}"] if rule.needs else []
        declared.append(f"{short or '/'} | {' '.join(names)}".removesuffix(" | "))
    assert declared == DECLARED.split("\n")[1:-1]


def test_no_view_refuses_anybody_by_itself() -> None:
    """What a view needs stands in its declaration, so that the table above is the whole truth."""
    by_hand = [
        str(file.relative_to(HOUSE))
        for file in HOUSE.rglob("*.py")
        if re.search(r"raise PermissionDenied|\brefusal\(request", file.read_text())
        and "sandbox" not in file.parts
    ]
    # Django's admin asks its site.
    assert by_hand == ["staff/site.py"]
