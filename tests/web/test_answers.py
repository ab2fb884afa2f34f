"""What an answer says of its content, and what no address and no other site is given."""

import re

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from tests.conftest import PASSWORD, ClientOf

PAGES = ("/", "/accounts/login/", "/accounts/profile/", "/healthz", "/nowhere", "/glossary/")


@pytest.mark.parametrize("path", PAGES)
def test_text_says_its_type_and_charset(
    path: str, viewer: User, client_of: ClientOf, client: Client
) -> None:
    for answer in (client.get(path), client_of(viewer).get(path, follow=True)):
        if answer.content:
            kind, charset = answer["Content-Type"].split("; ")
            assert kind in ("text/html", "text/plain")
            assert charset == "charset=utf-8"
            answer.content.decode()


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_no_other_origin_may_read_one(
    path: str, origin: str, viewer: User, client_of: ClientOf
) -> None:
    answer = client_of(viewer).get(path, headers={"Origin": origin})
    assert not [name for name in answer.headers if name.startswith("Access-Control-")]


@pytest.mark.parametrize(
    "path",
    [
        *("/static/", "/static/css/", "/.git/HEAD", "/.git/config", "/.env", "/manage.py"),
        *("/var/", "/lendingadmin/settings.py", "/static/../.env", "/static/%2e%2e/.env"),
    ],
)
def test_no_folder_is_listed_and_no_file_of_the_repository_served(
    path: str, manager: User, client_of: ClientOf
) -> None:
    assert client_of(manager).get(path).status_code == 404


def test_what_stands_in_the_address_is_no_form(client: Client, support: User) -> None:
    query = f"?login=support&password={PASSWORD}"
    client.post(f"/accounts/login/{query}", {"login": "nobody", "password": "wrong"})
    client.post(f"/accounts/login/{query}")
    assert "_auth_user_id" not in client.session


def test_a_file_is_saved_and_not_drawn(support: User, client_of: ClientOf) -> None:
    address = "/apps/kenya/repayments/export.csv?filename=evil.html&name=evil.html"
    answer = client_of(support).get(address)
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert re.fullmatch(r'attachment; filename="[a-z0-9-]+\.csv"', answer["Content-Disposition"])
    assert answer["X-Content-Type-Options"] == "nosniff"
    answer.close()


@pytest.mark.parametrize(
    "path", ["/apps/kenya/", "/accounts/profile/", "/accounts/2fa/", "/people/"]
)
def test_each_page_offers_to_sign_out(path: str, client_of: ClientOf, db: None) -> None:
    page = client_of(User.objects.create_superuser("root")).get(path).content.decode()
    forms = re.findall(r'<form[^>]*action="/(?:accounts|admin)/logout/".*?</form>', page, re.S)
    assert any(re.search(r"<button[^>]*>.*(Sign|Log) out</button>", one, re.S) for one in forms)
