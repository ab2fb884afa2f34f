"""What every answer tells the browser, whoever asks and whatever it is."""

import pytest
from django.conf import settings
from django.test import Client

from tests.conftest import PASSWORD, ClientOf

TOLD = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/healthz", "/nowhere", "/%00"])
def test_every_answer_bears_them(path: str, client: Client, db: None) -> None:
    answer = client.get(path)
    assert {name: answer.headers.get(name) for name in TOLD} == TOLD
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    policy = answer.headers["Permissions-Policy"]
    assert {"camera=()", "geolocation=()", "microphone=()", "payment=()"} <= set(policy.split(", "))


def test_static_files_pass_what_adds_them() -> None:
    names = [name.rpartition(".")[2] for name in settings.MIDDLEWARE]
    first = names.index("WhiteNoiseMiddleware")
    assert {"CSPMiddleware", "SecurityHeadersMiddleware"} <= set(names[:first])


def test_who_signs_out_leaves_nothing_in_the_browser(client_of: ClientOf, support: object) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "support", "password": PASSWORD})
    assert "Clear-Site-Data" not in client.get("/accounts/profile/").headers
    assert client.post("/accounts/logout/").headers["Clear-Site-Data"] == '"storage"'
    assert "Clear-Site-Data" not in client.get("/accounts/login/").headers
