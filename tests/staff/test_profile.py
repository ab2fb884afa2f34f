"""One's profile: the zone that a person chooses, and their sessions."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from lendingadmin import __version__
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff import preferences
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import ROLES
from lendingadmin.core.staff.sessions import describe_ended
from lendingadmin.web.display.times import zone_name

PROFILE = "/accounts/profile/"
CHOSEN = {"zone": "America/New_York", "uses_keys": "on"}


@pytest.mark.parametrize("role", ROLES)
def test_every_role_chooses_for_themselves(
    role: str, people: dict[str, User], client_of: Callable[[User], Client]
) -> None:
    client = client_of(people[role])
    answer = client.post(PROFILE, CHOSEN, follow=True)
    assert [message.level_tag for message in answer.context["messages"]] == ["success"]
    assert zone_name(ZoneInfo("America/New_York")) in answer.content.decode()
    assert User.objects.get(username=role).zone == "America/New_York"
    assert {one.zone for one in User.objects.exclude(username=role)} == {""}
    entry = Entry.objects.latest("id")
    assert (entry.username, entry.action, entry.detail) == (role, "people.profile", "zone")


def test_saving_it_without_a_change_is_no_entry(
    officer: User, client_of: Callable[[User], Client]
) -> None:
    client = client_of(officer)
    for _ in range(15):
        answer = client.post(PROFILE, CHOSEN)
    assert answer.status_code == 302
    assert Entry.objects.get(action="people.profile").detail == "zone"


def test_who_switches_keys_off_has_pages_without_them(
    officer: User, client_of: Callable[[User], Client]
) -> None:
    client = client_of(officer)
    assert 'data-keys="off"' not in client.get(PROFILE).text
    client.post(PROFILE, {"zone": ""})
    assert Entry.objects.get(action="people.profile").detail == "uses_keys"
    assert 'data-keys="off"' in client.get(PROFILE).text


def test_who_is_signed_in_reads_the_version_and_no_stranger_does(
    officer: User, client_of: Callable[[User], Client], client: Client
) -> None:
    named = f"lendingadmin {__version__}"
    page = client_of(officer).get(PROFILE).content.decode()
    assert page.count(named) == 1 and named in page.partition("<footer")[2]
    assert named not in client.get("/accounts/login/").content.decode()


def test_a_stranger_has_none(db: None, client: Client) -> None:
    answer = client.get(PROFILE)
    assert answer.status_code == 302 and answer["Location"].startswith("/accounts/login/")
    assert client.post(PROFILE, CHOSEN).status_code == 302


def test_nothing_else_of_the_person_is_written(
    officer: User, client_of: Callable[[User], Client]
) -> None:
    client = client_of(officer)
    User.objects.filter(pk=officer.pk).update(first_name="Anne")
    client.post(PROFILE, CHOSEN | {"first_name": "X", "is_superuser": "on", "username": "root"})
    person = User.objects.get(pk=officer.pk)
    assert (person.first_name, person.username, person.is_superuser) == ("Anne", "officer", False)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "<b>"])
def test_what_is_no_choice_is_refused_beside_its_field(
    officer: User, client_of: Callable[[User], Client], zone: str
) -> None:
    answer = client_of(officer).post(PROFILE, {"zone": zone})
    (refusal,) = answer.context["form"].errors.as_data()["zone"]
    assert refusal.code == "invalid_choice"
    page = answer.content.decode()
    _, *wrong_fields = page.split('<div class="field wrong">')
    (field,) = wrong_fields
    assert 'id="id_zone"' in field and 'class="errorlist"' in field
    assert "<b>" not in page
    assert User.objects.get(pk=officer.pk).zone == ""


def test_the_page_offers_the_lenders_zones_first(
    officer: User, client_of: Callable[[User], Client]
) -> None:
    page = client_of(officer).get(PROFILE).content.decode()
    assert (
        page.index("Lenders&#x27; time zones")
        < page.index('label="Africa"')
        < page.index("New York")
    )
    assert page.count('value="Africa/Nairobi"') == 1
    assert "Buenos Aires, Argentina" in page


def test_it_can_be_taken_back(officer: User, client_of: Callable[[User], Client]) -> None:
    client = client_of(officer)
    client.post(PROFILE, CHOSEN)
    client.post(PROFILE, {"zone": ""})
    assert preferences.read_zone(User.objects.get(pk=officer.pk)) is None


@pytest.mark.parametrize(
    ("zone", "found"),
    [
        ("", None),
        ("America/New_York", ZoneInfo("America/New_York")),
        # Chosen once, and gone from the tables since.
        ("Mars/Olympus", None),
        ("../../etc/passwd", None),
        ("America", None),
    ],
)
def test_a_person_s_zone(zone: str, found: ZoneInfo | None) -> None:
    assert preferences.read_zone(User(zone=zone)) == found
    assert preferences.read_zone(object()) is None


def test_every_zone_of_the_list_is_one() -> None:
    keys = [key for _, each in preferences.list_zones() for key, _ in each]
    assert len(keys) > 400 and len(set(keys)) == len(keys)
    for key in keys:
        preferences.validate_zone(key)
    with pytest.raises(ValidationError):
        preferences.validate_zone("Mars/Olympus")


def test_one_sees_one_s_sessions_and_ends_the_others(
    officer: User, support: User, client_of: Callable[[User], Client]
) -> None:
    here, there, others = client_of(officer), client_of(officer), client_of(support)
    page = here.get(PROFILE)
    assert len(page.context["sessions"]) == 2
    assert page.content.decode().count("data-here") == 1
    answer = here.post(f"{PROFILE}sessions/end", follow=True)
    assert describe_ended(1) in answer.content.decode()
    assert len(answer.context["sessions"]) == 1
    assert there.get(PROFILE).status_code == 302
    assert others.get(PROFILE).status_code == 200
    entry = Entry.objects.latest("id")
    assert (entry.username, entry.action, entry.subject) == (
        "officer",
        "people.sessions",
        "officer",
    )
    again = here.post(f"{PROFILE}sessions/end", follow=True)
    assert describe_ended(0) in again.content.decode()
