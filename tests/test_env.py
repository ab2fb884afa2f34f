"""The readers of environment values: what each accepts, and what it says of the rest."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lendingadmin.core import env

KEY, OLDER = (base64.urlsafe_b64encode(letter * 32).decode() for letter in (b"k", b"o"))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://lending.example.com", "https://lending.example.com"),
        ("https://lending.example.com/", "https://lending.example.com"),
        ("http://127.0.0.1:8001/base//", "http://127.0.0.1:8001/base"),
    ],
)
def test_service_address(text: str, address: str) -> None:
    assert env.service_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "lending.example.com",
        "ftp://lending.example.com",
        "https://",
        "https://user:hidden@lending.example.com",
        "https://lending.example.com?key=hidden",
        "https://lending.example.com#hidden",
    ],
)
def test_service_address_that_is_no_bare_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="give ") as refusal:
        env.service_address(text)
    assert "hidden" not in str(refusal.value)


@pytest.mark.parametrize("text", ["https://lending.example.com/v1", "http://127.0.0.1:8001/v1/"])
def test_the_version_is_no_part_of_the_address(text: str) -> None:
    with pytest.raises(ValueError, match="leave out /v1"):
        env.lending_address(text)
    assert env.lending_address(text.partition("/v1")[0]) == text.partition("/v1")[0]


@pytest.mark.parametrize(
    "text", ["https://desk.example.com", "http://localhost:8000", "https://desk.example.com:8443/"]
)
def test_the_dashboards_own_address(text: str) -> None:
    assert env.dashboard_address(text) == text.rstrip("/")


@pytest.mark.parametrize("text", ["", "desk.example.com", "https://example.com/desk"])
def test_the_dashboard_is_at_a_host_of_its_own(text: str) -> None:
    with pytest.raises(ValueError, match="give "):
        env.dashboard_address(text)


def test_secret_keys_are_read_newest_first() -> None:
    assert env.secret_keys(" new , old,") == ["new", "old"]
    with pytest.raises(ValueError, match="at least one key"):
        env.secret_keys(" , ")


def test_data_keys_are_read_newest_first() -> None:
    assert env.data_keys(f"{KEY}, {OLDER},") == (KEY, OLDER)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one key"),
        ("hidden", "key 1 is not"),
        (f"{KEY},hidden", "key 2 is not"),
        (f"{KEY},hidden-ключ", "key 2 is not"),
        (KEY[:-5], "key 1 is not"),
    ],
)
def test_data_keys_that_are_none_are_refused_and_not_repeated(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as refusal:
        env.data_keys(text)
    told = f"{refusal.value} {refusal.value.__cause__}"
    assert "hidden" not in told
    assert KEY[:-5] not in told


def test_hours_of_a_session() -> None:
    assert [env.session_hours(text) for text in ("1", "12")] == [1, 12]
    for text in ("0", "13", "half"):
        with pytest.raises(ValueError, match=r"1 or more|12 hours or fewer|not a whole number"):
            env.session_hours(text)


@pytest.mark.parametrize(("text", "number"), [("0", 0), (" 300 ", 300), ("999999999", 999_999_999)])
def test_whole_number(text: str, number: int) -> None:
    assert env.whole_number(text) == number


@pytest.mark.parametrize("text", ["", "a few", "-1", "1.5", "1_000", "+3", "०", "1234567890"])
def test_whole_number_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a whole number"):
        env.whole_number(text)


def test_a_positive_number_is_no_zero() -> None:
    assert env.positive_number(" 12 ") == 12
    with pytest.raises(ValueError, match="give 1 or more"):
        env.positive_number("0")


@pytest.mark.parametrize(
    ("text", "on"),
    [
        *((word, True) for word in ("on", "yes", "true", "1", "ON", " True ")),
        *((word, False) for word in ("off", "no", "false", "0", "OFF")),
    ],
)
def test_switch(text: str, on: bool) -> None:
    assert env.switch(text) is on


@pytest.mark.parametrize("text", ["", "maybe", "2", "onn"])
def test_switch_that_is_neither_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be on or off"):
        env.switch(text)


@pytest.mark.parametrize(("text", "words"), [("", []), ("a", ["a"]), (" a , b c ,,", ["a", "b c"])])
def test_words(text: str, words: list[str]) -> None:
    assert env.words(text) == words


def test_one_of() -> None:
    read = env.one_of("colon", "slash")
    assert read("slash") == "slash"
    with pytest.raises(ValueError, match="“Slash” is not one of: colon, slash"):
        read("Slash")


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (
            "smtp+tls://user:p%40ss@mail:587",  # pragma: allowlist secret
            {"EMAIL_HOST_PASSWORD": "p@ss", "EMAIL_PORT": 587, "EMAIL_USE_TLS": True},
        ),
        ("smtp+ssl://mail", {"EMAIL_HOST": "mail", "EMAIL_USE_SSL": True}),
        ("consolemail://", {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}),
    ],
)
def test_mail_servers(text: str, settings: dict[str, object]) -> None:
    assert env.mail_server(text).items() >= settings.items()


@pytest.mark.parametrize("text", ["", "mail", "pop://mail", "smtp://", "smtp://mail:many"])
def test_mail_servers_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"give smtp\+tls"):
        env.mail_server(text)


@pytest.mark.parametrize("text", ["desk@example.com", "Lending desk <desk@example.com>"])
def test_senders(text: str) -> None:
    assert env.mail_address(text) == text


@pytest.mark.parametrize("text", ["", "desk", "desk@", "@example.com", "a@b.com\nBcc: c@d.com"])
def test_senders_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="not a mail address"):
        env.mail_address(text)


def test_some_addresses_may_be_left_out() -> None:
    assert env.service_address_or_none("") == ""
    assert env.service_address_or_none("https://desk.example.com/") == "https://desk.example.com"
    with pytest.raises(ValueError, match="http"):
        env.service_address_or_none("desk.example.com")


@pytest.mark.parametrize(
    ("reader", "text", "kept"),
    [
        (env.database_address, "postgres://u:p@db:5432/book", ("ENGINE", "postgresql")),
        (env.database_address, "sqlite:////var/book.sqlite3", ("NAME", "/var/book.sqlite3")),
        (env.cache_address, "redis://cache:6379/0", ("LOCATION", "redis://cache:6379/0")),
        (env.cache_address, "dbcache://cache", ("LOCATION", "cache")),
    ],
)
def test_addresses_of_what_it_keeps(
    reader: Callable[[str], dict[str, Any]], text: str, kept: tuple[str, str]
) -> None:
    name, value = kept
    assert value in reader(text)[name]


@pytest.mark.parametrize("reader", [env.database_address, env.cache_address])
@pytest.mark.parametrize(
    "text",
    [
        *("secret", "://secret"),
        "ftp://u:secret@host/name",  # pragma: allowlist secret
        # Each would be an address of another host, whose name and port are parts of a password.
        *("postgres://u:12/secret@host/name", "redis://12?secret@host/0"),
        "redis://12#secret@host/0",
    ],
)
def test_a_malformed_address_is_refused_without_its_words(
    reader: Callable[[str], dict[str, Any]], text: str
) -> None:
    with pytest.raises(ValueError, match="give an address such as") as raised:
        reader(text)
    assert "secret" not in str(raised.value)


def test_a_file_that_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    with pytest.raises(ValueError, match="there is no file"):
        env.existing_file_or_none(str(path))
    path.touch()
    assert env.existing_file_or_none(str(path)) == str(path)
    assert env.existing_file_or_none("none") == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://proxy.example.com:3128",
        "https://me:pass@proxy.example.com/",  # pragma: allowlist secret
    ],
)
def test_proxies(text: str) -> None:
    assert env.proxy_address_or_none(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "proxy:3128",
        "socks5://me:secret@x",  # pragma: allowlist secret
        "http://x/path",
        "http://",
    ],
)
def test_what_is_no_proxy_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="address of a proxy") as caught:
        env.proxy_address_or_none(text)
    assert "secret" not in str(caught.value)
