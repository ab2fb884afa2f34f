"""The rules, limits and keys in SECURITY.md and docs/rules.md are those of the code."""

import re
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.urls import get_resolver

from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.core.staff import independence, known_browsers, passwords, sessions
from lendingadmin.core.staff.models import User
from lendingadmin.lending.tokens import TokenSource
from lendingadmin.lending.transport import Transport
from lendingadmin.records.events.checking import TOO_LARGE
from lendingadmin.settings import LOGGING
from lendingadmin.web import exports, quotas, uploads
from lendingadmin.web.access import routes
from lendingadmin.web.models import Draft
from tests.policies.setting import OWN_EXPORTS
from tests.processes import ROOT

WORDS = {"five": 5, "fifty": 50, "ten": 10, "twelve": 12}
CELLS = re.compile(r"^\| (.+?) \| (.+?) \|", re.M)


@cache
def read_text() -> str:
    """Return both documents, one after the other."""
    return "\n".join((ROOT / name).read_text() for name in ("SECURITY.md", "docs/rules.md"))


def read_part(start: str, end: str) -> str:
    """Return the text between two texts of them, in one line; tables keep their lines."""
    _, _, rest = read_text().partition(start)
    assert rest, start
    part = rest.partition(end)[0]
    return part if "\n|" in part else " ".join(part.split())


def read_file(path: str) -> str:
    return (ROOT / path).read_text()


def read_rows(start: str, end: str) -> dict[str, str]:
    """The first two cells of each row of a table, without its head."""
    return dict(CELLS.findall(read_part(start, end))[1:])


def list_variables(ending: str) -> set[str]:
    """The dashboard's variables of docs/configure.md whose names end so."""
    found = set(
        re.findall(rf"^\| `(\w+{ending})` \|", (ROOT / "docs/configure.md").read_text(), re.M)
    )
    assert found
    return {name for name in found if not name.startswith(("SANDBOX_", "DEMO_"))}


def test_it_says_what_input_must_be() -> None:
    rows = read_rows("**Input**", "Related values")
    assert f"{TOO_LARGE:,} bytes" in rows["event"]
    assert f"{uploads.LONGEST:,} bytes" in rows["file"]
    named = re.findall(r"\| `([\w/]+\.py)` \|", read_part("**Input**", "Related values"))
    assert len(named) == len(rows)
    assert [name for name in named if not (ROOT / "lendingadmin" / name).is_file()] == []


def test_it_says_each_limit() -> None:
    rows = read_rows("**Limits**", "The worker does longer")
    (longest,) = re.findall(r"proxy_read_timeout (\d+)s", read_file("deploy/nginx.conf"))
    (statement,) = re.findall(r"statement_timeout=(\d+)s", read_file("lendingadmin/wsgi.py"))
    transport = Transport("https://lending.example.com", TokenSource("", "", ""))
    most = {name: limit.most for name, limit in quotas.LIMITS.items()}
    assert rows == {
        "borrowers that one person opens": f"{most['reads']:,} an hour",
        "masked records that one person reveals": f"{most['reveals']:,} an hour",
        "searches that one person makes": f"{most['searches']:,} an hour",
        "exports that one person starts": f"{OWN_EXPORTS} a day; managers change it on Settings",
        "statements that one person uploads": f"{most['statements']:,} a day",
        "collection sheets that one person prints": f"{most['sheets']:,} a day",
        "notes that one person writes or changes": f"{most['notes']:,} an hour",
        "exports at the same time": (
            f"{exports.MOST} in a process, {exports.MOST_OF_ONE} for a person"
        ),
        "calls to the lending service at the same time": (
            f"{transport.size} in a process, {transport.deadline:.0f} seconds each with all tries"
        ),
        "a request": f"{longest} seconds at the proxy; {statement} seconds for each SQL statement",
        "repayments without a second person": "the limits on Settings",
    }
    said = read_part("## Signing in", "## Rights").lower()
    for name, number in WORDS.items():
        said = re.sub(rf"\b{name}\b", str(number), said)
    told = re.search(
        r"(\d+) wrong passwords block a user name at one address for (\d+) minutes. (\d+) in an "
        r"hour block it everywhere.* one address may sign in (\d+) times a minute and fail (\d+) "
        r"times",
        said,
    )
    assert told
    wrong, minutes, everywhere, signs_in, fails = told.groups()
    assert settings.ACCOUNT_RATE_LIMITS["login"] == f"{signs_in}/m/ip"
    assert settings.ACCOUNT_RATE_LIMITS["login_failed"] == f"{fails}/m/ip,{wrong}/{minutes}m/key"
    assert settings.ACCOUNT_RATE_LIMITS["login_failed_for_name"] == f"{everywhere}/h/key"
    assert f"counts separately for {known_browsers._SECONDS // 86400} days" in said
    assert f"{settings.PASSWORD_RESET_TIMEOUT // 3600} hours" in said
    text = " ".join(read_text().split())
    assert f"hold {Draft.MOST_KEPT // 1_000_000} million characters" in text
    assert f"last {independence.CHANGED_WITHIN.days} days" in text


def test_the_commands_that_bring_libraries_up_to_date_are_there() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.M)
    said = read_part("## Dependencies", "## Not covered")
    named = re.findall(r"`make ([a-z]+)", said)
    assert {"audit", "lock"} <= set(named) <= set(targets)
    assert "within two days" in said and "within thirty" in said


def test_no_call_outlasts_its_request() -> None:
    """The proxy gives a request up, and nobody would read what became of a call behind it."""
    (longest,) = re.findall(r"proxy_read_timeout (\d+)s", read_file("deploy/nginx.conf"))
    transport = Transport("https://lending.example.com", TokenSource("", "", ""))
    assert 3 * transport.deadline < int(longest)


def test_it_lists_the_words_that_make_no_password() -> None:
    words = read_part("or these words:", ".")
    assert tuple(words.split(", ")) == passwords._WORDS


def test_it_names_each_way_in() -> None:
    said = read_part("**Ways in.**", "**Sessions.**")
    factors = {"totp": "a code of an app", "webauthn": "a security key"}
    factors["recovery_codes"] = "a recovery code"
    assert {name for name, words in factors.items() if words in said} == set(
        settings.MFA_SUPPORTED_TYPES
    )
    assert "the lender's identity provider (`OIDC_ISSUER`)" in said
    assert ("a passkey" in said) == settings.MFA_PASSKEY_LOGIN_ENABLED
    assert settings.AUTHENTICATION_BACKENDS == [
        "lendingadmin.core.staff.permissions.PermissionsBackend"
    ]
    forms = {
        route
        for route, _ in routes(get_resolver().url_patterns)
        if re.match(r"accounts/.*(login|set-up|reset|code|social|provider|oidc)", route)
    }
    assert forms == {
        "accounts/login/",
        "accounts/set-up/<uidb64>/<token>/",
        *(f"accounts/provider/{one}" for one in ("", "callback", "confirm")),
        "accounts/2fa/webauthn/login/",
        *(f"accounts/2fa/recovery-codes/{one}" for one in ("", "generate/", "download/")),
    }
    names = " ".join(field.name for field in User._meta.get_fields())
    assert not re.search(r"hint|question|answer", names)


def test_it_says_how_long_sessions_last() -> None:
    said = read_part("## Signing in", "## Rights")
    assert "A session ends half an hour after its person last did something" in said
    assert "twelve hours after the sign-in" in said
    assert timedelta(minutes=30) == sessions.IDLE
    assert timedelta(hours=12) == sessions.LONGEST
    assert "does not end a session of the dashboard early" in said
    # Those of NIST SP 800-63B, 4.2.3.
    assert "800-63B" in read_part("**Sessions.**", "**Systems that the dashboard calls**")


def test_it_lists_the_keys() -> None:
    rows = read_rows("**Algorithms**", "Passwords are hashed")
    named = set(re.findall(r"`(\w+)`", " ".join(rows)))
    assert named == (
        list_variables("KEY") | list_variables("KEYS") | list_variables("(?:SECRET|FALLBACKS)")
    )


def test_it_names_each_service() -> None:
    named = re.findall(
        r"`(\w+_URL)`", read_part("**Systems that the dashboard calls**", "**Levels of data**")
    )
    # The last is where people open the dashboard itself.
    assert set(named) == list_variables("_URL") - {"DASHBOARD_URL"}


def test_it_sorts_what_is_kept() -> None:
    assert list(read_rows("**Levels of data**", "The encrypted")) == [
        "secret",
        "personal",
        "internal",
    ]
    columns = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, EncryptedTextField)
    }
    named = re.findall(r"`(\w+\.\w+)`", read_part("The encrypted columns are", "**Logs.**"))
    assert set(named) == columns


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_it_names_each_log(stream: str) -> None:
    said, handlers = read_part("**Logs.**", "\n\n"), LOGGING["handlers"]
    given: dict[str, Any] = {
        name: one for name, one in handlers.items() if "Stream" in one["class"]
    }
    assert set(given) == {"stdout", "stderr"}
    assert {"stdout": "standard output", "stderr": "standard error"}[stream] in said
    assert "access_log off;" in (ROOT / "deploy" / "nginx.conf").read_text()
