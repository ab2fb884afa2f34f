"""The settings start from .env.example, and stop by name over what is missing or malformed."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping

import pytest
import redis
from django.core.exceptions import ImproperlyConfigured

from lendingadmin import __version__
from lendingadmin.core.staff.roles import ROLES
from tests.example import EXAMPLE, PROVIDER, read_settings
from tests.lints.test_variables import ROOT, read_table
from tests.web_process import build_environ, find_free_port


def read_fault(environ: Mapping[str, str]) -> str:
    """Return what stops a start in this environment; empty where nothing does."""
    try:
        read_settings(environ)
    except ImproperlyConfigured as error:
        return str(error)
    return ""


def test_the_example_starts() -> None:
    assert read_fault(EXAMPLE) == ""


def test_the_version_is_told_without_a_configuration() -> None:
    command = [sys.executable, "manage.py", "--version"]
    told = subprocess.run(command, cwd=ROOT, env={}, capture_output=True, text=True, check=True)
    assert told.stdout == f"lendingadmin {__version__}\n"


def test_a_missing_variable_stops_the_start_by_name() -> None:
    environ = dict(EXAMPLE)
    del environ["LENDING_PROJECT_ID"]
    # What is malformed has a colon behind the name.
    assert read_fault(environ).splitlines()[-1].startswith("LENDING_PROJECT_ID ")


def test_all_that_is_wrong_is_said_at_once_and_once() -> None:
    wrong = {
        "LENDING_APPS": "uganda:UGX:Africa/Kampala",
        "DASHBOARD_URL": "desk",
        "AUDIT_LINES": "x",
    }
    environ = EXAMPLE | PROVIDER | wrong
    del environ["SECRET_KEY"], environ["DATA_KEYS"], environ["AUDIT_KEYS"]
    named = [re.split(r"[: ]", line)[0] for line in read_fault(environ).splitlines()]
    assert named == ["DASHBOARD_URL", "SECRET_KEY", "DATA_KEYS", "AUDIT_LINES", "OIDC_ROLES"]


def test_what_names_apps_is_not_judged_while_these_are_malformed() -> None:
    said = read_fault(EXAMPLE | PROVIDER | {"LENDING_APPS": "kenya"})
    assert said.startswith("LENDING_APPS: ")
    assert "is not an app of LENDING_APPS" not in said


@pytest.mark.parametrize(
    ("address", "hosts", "is_safe"),
    [
        ("https://desk.example.org", ["desk.example.org"], True),
        ("https://desk.example.org:8443", ["desk.example.org"], True),
        ("http://10.0.0.4:8000", ["10.0.0.4"], False),
        ("http://localhost:8000", ["localhost", "127.0.0.1", "[::1]"], False),
    ],
)
def test_what_follows_from_the_dashboards_address(
    address: str, hosts: list[str], is_safe: bool
) -> None:
    found = read_settings(EXAMPLE | {"DASHBOARD_URL": address})
    assert (found["ALLOWED_HOSTS"], found["CSRF_TRUSTED_ORIGINS"]) == (hosts, [address])
    assert (found["HTTPS"], found["TRUSTED_PROXIES"]) == (is_safe, int(is_safe))
    assert found["DEFAULT_FROM_EMAIL"] == f"lendingadmin@{hosts[0]}"
    own = {"EMAIL_FROM": "desk@lender.example.org", "TRUSTED_PROXIES": "2"}
    found = read_settings(EXAMPLE | {"DASHBOARD_URL": address} | own)
    assert (found["DEFAULT_FROM_EMAIL"], found["TRUSTED_PROXIES"]) == (own["EMAIL_FROM"], 2)


def test_the_issuer_is_at_the_services_address_unless_another_is_named() -> None:
    assert read_settings(EXAMPLE)["LENDING_AUTH_URL"] == EXAMPLE["LENDING_BASE_URL"]
    other = {"LENDING_AUTH_URL": "https://auth.example.com"}
    assert read_settings(EXAMPLE | other)["LENDING_AUTH_URL"] == other["LENDING_AUTH_URL"]
    assert read_fault(EXAMPLE | {"LENDING_AUTH_URL": "auth"}).startswith("LENDING_AUTH_URL: ")


def test_earlier_secret_keys_come_after_the_first() -> None:
    found = read_settings(EXAMPLE | {"SECRET_KEY": "new,old,older"})
    assert (found["SECRET_KEY"], found["SECRET_KEY_FALLBACKS"]) == ("new", ["old", "older"])


def test_a_value_may_begin_with_a_dollar() -> None:
    given = {"LENDING_CLIENT_SECRET": "$HOME/x", "METRICS_TOKEN": "$$y"}
    found = read_settings(EXAMPLE | given)
    assert {name: found[name] for name in given} == given


def test_a_password_in_an_address_is_percent_encoded() -> None:
    schemes = {"DATABASE_URL": "postgres", "CACHE_URL": "redis", "EMAIL_URL": "smtp+tls"}
    place = "u:a%40b%2Fc@127.0.0.1/0"
    addresses = {name: f"{scheme}://{place}" for name, scheme in schemes.items()}
    found = read_settings(EXAMPLE | addresses)
    place = found["CACHES"]["shared"]["LOCATION"]
    assert [
        found["DATABASES"]["default"]["PASSWORD"],
        redis.from_url(place).connection_pool.connection_kwargs["password"],
        found["EMAIL_HOST_PASSWORD"],
    ] == ["a@b/c"] * 3


def test_a_command_says_what_is_wrong_in_lines() -> None:
    wrong = EXAMPLE | {"AUDIT_LINES": "maybe", "LOG_FORMAT": "xml", "PATH": os.environ["PATH"]}
    command = [sys.executable, "manage.py", "lending_check"]
    told = subprocess.run(command, cwd=ROOT, env=wrong, capture_output=True, text=True)
    said = [
        "AUDIT_LINES: “maybe” must be on or off",
        "LOG_FORMAT: “xml” is not one of: line, json",
    ]
    assert (told.returncode, told.stderr.splitlines(), told.stdout) == (1, said, "")


def test_a_python_without_django_is_told_which_one_has_it() -> None:
    command = [sys.executable, "-S", "manage.py", "check"]
    told = subprocess.run(command, cwd=ROOT, env={}, capture_output=True, text=True)
    assert told.returncode == 1
    assert told.stderr == (
        f"{sys.executable} has no Django. Use .venv/bin/python, which make install makes.\n"
    )


def test_a_malformed_variable_stops_the_start_by_name_and_no_secret_is_repeated() -> None:
    secret = "not-a-key-but-secret-all-the-same"
    fault = read_fault(EXAMPLE | {"DATA_KEYS": secret})
    assert fault.splitlines()[-1].startswith("DATA_KEYS: ")
    assert secret not in fault


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("EMAIL_URL", "submission://user:geheim@mail:587"),  # pragma: allowlist secret
        ("EMAIL_URL", "smtp+tls://user:geheim@mail:many"),  # pragma: allowlist secret
        ("EMAIL_URL", "smtp+tls://"),
        ("EMAIL_URL", "mail.example.com"),
        ("EMAIL_FROM", "desk"),
        ("DASHBOARD_URL", "dashboard.example.com"),
    ],
)
def test_mail_that_could_not_go_out_stops_the_start_by_name(name: str, text: str) -> None:
    fault = read_fault(EXAMPLE | {name: text})
    assert f"{name}: " in fault.splitlines()[-1]
    assert "geheim" not in fault


@pytest.mark.parametrize("name", ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_ROLES"])
def test_an_identity_provider_needs_what_belongs_to_it(name: str) -> None:
    environ = EXAMPLE | PROVIDER
    assert read_fault(environ) == ""
    del environ[name]
    assert f"{name} is not set" in read_fault(environ)
    assert read_fault(environ | {"OIDC_ISSUER": ""}) == ""
    assert read_fault(environ | {"OIDC_ISSUER": "", name: "anything"}) == ""


def test_each_role_may_be_given_by_a_group() -> None:
    groups = ",".join(f"group-{role}=kenya:{role}" for role in ROLES)
    assert read_fault(EXAMPLE | PROVIDER | {"OIDC_ROLES": groups}) == ""
    fault = read_fault(EXAMPLE | PROVIDER | {"OIDC_ROLES": "heads=kenya:superuser"})
    last = fault.splitlines()[-1]
    assert last.startswith("OIDC_ROLES: ") and "“superuser” of “kenya:superuser”" in last


def test_somebody_must_be_able_to_sign_in() -> None:
    fault = read_fault(EXAMPLE | {"LOCAL_SIGN_IN": "off"})
    assert fault.splitlines()[-1].startswith("LOCAL_SIGN_IN: ")
    assert read_fault(EXAMPLE | PROVIDER | {"LOCAL_SIGN_IN": "off"}) == ""


def test_the_readme_s_examples_of_mail_start() -> None:
    examples = {row[0].strip("`"): row[3].strip("`") for row in read_table()}
    mail = {name: examples[name] for name in ("EMAIL_URL", "EMAIL_FROM", "DASHBOARD_URL")}
    assert read_fault(EXAMPLE | mail) == ""


def test_a_database_that_does_not_answer_is_told_without_a_trace() -> None:
    address = f"postgres://nobody@127.0.0.1:{find_free_port()}/none"
    ended = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--check"],
        cwd=ROOT,
        env=build_environ(EXAMPLE | {"DATABASE_URL": address}),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "DATABASE_URL" in ended.stderr.splitlines()[0]
    assert "refused" in ended.stderr and "Traceback" not in ended.stderr and ended.returncode == 1
