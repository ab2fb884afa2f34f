"""The settings start from .env.example, and stop by name over what is missing or malformed."""

import os
import subprocess
import sys

import pytest

from lendingadmin import __version__
from lendingadmin.staff.roles import ROLES
from tests.lints.test_variables import ROOT, read_example, read_table


def _start(environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    # Started elsewhere, so that a .env file of whoever runs this plays no part.
    code = (
        "import environ; environ.Env.read_env = lambda *a, **k: None\nimport lendingadmin.settings"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
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
