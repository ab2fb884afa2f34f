"""The settings start from .env.example, and stop by name over what is missing or malformed."""

import os
import re
import subprocess
import sys

import pytest

from lendingadmin import __version__
from lendingadmin.staff.roles import ROLES
from tests.lints.test_variables import ROOT, read_example, read_table
from tests.web_process import build_environ, find_free_port


def _start(
    environ: dict[str, str], code: str = "import lendingadmin.settings"
) -> subprocess.CompletedProcess[str]:
    # Started elsewhere, so that a .env file of whoever runs this plays no part.
    without_file = "import environ; environ.Env.read_env = lambda *a, **k: None\n"
    return subprocess.run(
        [sys.executable, "-c", without_file + code],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_example_starts() -> None:
    assert _start(read_example()).returncode == 0


def test_the_version_is_told_without_a_configuration() -> None:
    command = [sys.executable, "manage.py", "--version"]
    told = subprocess.run(command, cwd=ROOT, env={}, capture_output=True, text=True, check=True)
    assert told.stdout == f"lendingadmin {__version__}\n"


def test_a_missing_variable_stops_the_start_by_name() -> None:
    environ = read_example()
    del environ["LENDING_PROJECT_ID"]
    assert "LENDING_PROJECT_ID is not set" in _start(environ).stderr


def test_all_that_is_wrong_is_said_at_once_and_once() -> None:
    wrong = {"LENDING_APPS": "uganda:UGX:Africa/Kampala", "HTTPS": "maybe", "OIDC_ISSUER": "no"}
    environ = read_example() | wrong
    del environ["SECRET_KEY"], environ["DATA_KEYS"], environ["AUDIT_KEYS"]
    said = _start(environ).stderr.partition("ImproperlyConfigured: ")[2]
    named = [re.split(r"[: ]", line)[0] for line in said.splitlines()]
    of_apps = ["LENDER_NAMES", "LENDER_LANGUAGES", "APPROVAL_LIMITS", "CONFIRM_ABOVE"]
    of_calls = ["CONTACT_HOURS", "CONTACT_ATTEMPTS", "CONTACT_CLOSED"]
    rest = ["HTTPS", "SECRET_KEY", "DATA_KEYS", "OIDC_ISSUER"]
    assert named == [*of_apps, *of_calls, *rest]


def test_what_names_apps_is_not_judged_while_these_are_malformed() -> None:
    said = _start(read_example() | {"LENDING_APPS": "kenya"}).stderr
    assert said.partition("ImproperlyConfigured: ")[2].startswith("LENDING_APPS: ")
    assert "is no app of LENDING_APPS" not in said


def test_a_value_may_begin_with_a_dollar() -> None:
    show = "import lendingadmin.settings as s; print(s.LENDING_CLIENT_SECRET, s.METRICS_TOKEN)"
    given = {"LENDING_CLIENT_SECRET": "$HOME/x", "METRICS_TOKEN": "$$y"}
    assert _start(read_example() | given, show).stdout == "$HOME/x $$y\n"


@pytest.mark.parametrize("name", ["DATABASE_URL", "CACHE_URL", "EMAIL_URL"])
def test_a_password_in_an_address_is_percent_encoded(name: str) -> None:
    address = read_example()[name].replace("://", "://u:a%40b%2Fc@", 1)
    address = re.sub(r"@[^/]*@", "@", address)
    show = (
        "import lendingadmin.settings as s, redis;"
        "print(s.DATABASES['default']['PASSWORD'], s.EMAIL_HOST_PASSWORD,"
        "redis.from_url(s.CACHES['shared']['LOCATION']).connection_pool.connection_kwargs)"
    )
    assert "a@b/c" in _start(read_example() | {name: address}, show).stdout


def test_a_command_says_what_is_wrong_in_lines() -> None:
    wrong = read_example() | {"HTTPS": "maybe", "DEBUG": "perhaps", "PATH": os.environ["PATH"]}
    command = [sys.executable, "manage.py", "lending_check"]
    told = subprocess.run(command, cwd=ROOT, env=wrong, capture_output=True, text=True)
    said = ["DEBUG: “perhaps” is neither on nor off", "HTTPS: “maybe” is neither on nor off"]
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
    stderr = _start(read_example() | {"DATA_KEYS": secret}).stderr
    assert "DATA_KEYS: key 1 is not 32 bytes" in stderr
    assert secret not in stderr


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
    stderr = _start(read_example() | {name: text}).stderr
    assert f"{name}: " in stderr.splitlines()[-1]
    assert "geheim" not in stderr


@pytest.mark.parametrize("name", ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_ROLES"])
def test_an_identity_provider_needs_what_belongs_to_it(name: str) -> None:
    environ = read_example()
    del environ[name]
    assert f"{name} is not set" in _start(environ).stderr
    assert _start(environ | {"OIDC_ISSUER": ""}).returncode == 0
    assert _start(read_example() | {"OIDC_ISSUER": "", name: "anything"}).returncode == 0


def test_each_role_may_be_given_by_a_group() -> None:
    groups = ",".join(f"group-{role}=kenya:{role}" for role in ROLES)
    assert _start(read_example() | {"OIDC_ROLES": groups}).returncode == 0
    stderr = _start(read_example() | {"OIDC_ROLES": "heads=kenya:superuser"}).stderr
    assert "OIDC_ROLES: “superuser” of “kenya:superuser” is none of" in stderr.splitlines()[-1]


def test_somebody_must_be_able_to_sign_in() -> None:
    stderr = _start(read_example() | {"OIDC_ISSUER": "", "LOCAL_SIGN_IN": "off"}).stderr
    assert "LOCAL_SIGN_IN: nobody could sign in" in stderr.splitlines()[-1]
    assert _start(read_example() | {"LOCAL_SIGN_IN": "off"}).returncode == 0


def test_the_readme_s_examples_of_mail_start() -> None:
    examples = {row[0].strip("`"): row[3].strip("`") for row in read_table()}
    mail = {name: examples[name] for name in ("EMAIL_URL", "EMAIL_FROM", "DASHBOARD_URL")}
    assert _start(read_example() | mail).returncode == 0


def test_a_database_that_does_not_answer_is_told_without_a_trace() -> None:
    address = f"postgres://nobody@127.0.0.1:{find_free_port()}/none"
    ended = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--check"],
        cwd=ROOT,
        env=build_environ(read_example() | {"DATABASE_URL": address}),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.stderr.startswith("The database of DATABASE_URL failed: ")
    assert "refused" in ended.stderr and "Traceback" not in ended.stderr and ended.returncode == 1
