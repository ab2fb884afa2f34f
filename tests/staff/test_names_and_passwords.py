"""Which user names and passwords may be chosen."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.usernames import fold_look


def add(client: Client, username: str) -> list[str]:
    """What is said beside the field."""
    answer = client.post("/people/new", {"username": username})
    if answer.status_code == 302 or User.objects.filter(username=username).exists():
        return []
    errors: list[str] = answer.context["form"].errors.get("username", [])
    return list(errors)


@pytest.mark.parametrize(
    "username",
    [
        "system",
        "SYSTEM",
        "sys.tem",
        "Nobody",
        "5ystem",
        "m\u0430nager2",
        "mаnager",
        "ma\u200bry",
        "a b",
    ],
)
def test_a_name_by_which_another_could_be_meant_is_refused(
    username: str, client_of: object, manager: User
) -> None:
    assert callable(client_of)
    assert len(add(client_of(manager), username)) == 1
    assert not User.objects.exclude(pk=manager.pk).exists()


@pytest.mark.parametrize(
    ("username", "refused"),
    [
        ("rnary.wanjiru", True),
        ("mary-wanj1ru", True),
        ("Mary.Wanjiru", True),
        ("marywanjiru", True),
        ("mary.wanjiku", False),
        ("mary2.wanjiru", False),
    ],
)
def test_a_name_that_looks_like_another_persons_is_refused(
    username: str, refused: bool, client_of: object, manager: User
) -> None:
    User.objects.create_user("mary.wanjiru")
    assert callable(client_of)
    assert bool(add(client_of(manager), username)) == refused


@given(st.text("abcdilmnorsvw0158._-", min_size=1))
def test_a_look_is_stable(name: str) -> None:
    assert fold_look(name) == fold_look(name.upper()) == fold_look(f"{name}.")


def test_a_superuser_may_not_be_called_system(db: None) -> None:
    with pytest.raises(CommandError):
        call_command("createsuperuser", "--no-input", "--username", "system", "--email", "a@b.co")


@pytest.mark.parametrize(
    ("password", "is_good"),
    [
        ("orange fjord 71", True),
        ("482913750264", True),
        ("orange fjo7", False),
        ("1234567890123", False),
        ("qwertyuiop123", False),
        ("lendingadmin2026!", False),
        ("Lending-Desk-99", False),
        ("kenya2026kenya", False),
        ("kenya orange fjord", True),
        ("mary.wanjiru1", False),
        ("aaaaaaaaaaaa", False),
        ("Password1234!", False),
        ("passwordpassword", False),
        ("Welcome12345", False),
        ("P@ssw0rd2026!!", False),
        ("abcabcabcabc", False),
        ("abcdefghijklm", False),
        ("mlkjihgfedcba", False),
        ("asdfghjkl;123", False),
        ("2wsx3edc4rfv5tgb", False),
        ("Summer-Winter-2026", False),
        ("Manchester2026!!", False),
        ("!!!!!!!!!!!!", False),
        ("x" * 100, False),
        ("abc" * 2000, False),
        ("abc-first fjord", True),
        ("passwords of orange fjords", True),
        ("correct horse battery staple", True),
        ("summer ferries depart at noon", True),
        ("k7-Rw2_pQ9vX", True),
        ("тихий оранжевый фьорд", True),
    ],
)
def test_passwords(db: None, password: str, is_good: bool) -> None:
    person = User(username="mary.wanjiru")
    try:
        validate_password(password, person)
    except ValidationError:
        assert not is_good
    else:
        assert is_good


@pytest.mark.parametrize(
    "end", ["\nBcc: other@example.com", "\r\nBcc: other@example.com", ",other@b.co"]
)
def test_nothing_typed_adds_a_header_or_an_address_to_a_mail(
    end: str, client_of: object, manager: User
) -> None:
    assert callable(client_of)
    client = client_of(manager)
    for field, value in (("email", "mary@example.com"), ("username", "mary.wanjiru")):
        form = {"username": "mary.wanjiru", "email": "", field: f"{value}{end}"}
        answer = client.post("/people/new", form)
        assert field in answer.context["form"].errors
    assert not User.objects.exclude(pk=manager.pk).exists()
