"""Settings: who reaches them, what a change does at once, and what is refused beside its field."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.policies.kinds import list_kinds
from lendingadmin.core.policies.lender import LENDER, read_lender
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.staff.models import User
from lendingadmin.desk.collections.policies import CALLING, get_rules
from lendingadmin.desk.collections.rules import ContactAttempts, end_of
from lendingadmin.desk.sheets.policies import LATE_SHEETS, read_days
from tests.conftest import ClientOf
from tests.policies.setting import NEVER, set_calling, set_policy

pytestmark = pytest.mark.django_db
ROLE = "manager"
APP = lending_app("kenya")
SETTINGS = "/apps/kenya/settings/"
CHRISTMAS_EVE = date(2026, 12, 24)


def in_days(days: int) -> str:
    return (timezone.localdate(timezone=APP.zone) + timedelta(days=days)).isoformat()


def calling(**changes: str) -> dict[str, str]:
    """What the form of the calling rules sends: from Monday to Friday, eight to five."""
    hours = {}
    for weekday in range(7):
        begin, end = ("08:00", "17:00") if weekday < 5 else ("", "")
        hours |= {f"hours{weekday}_begin": begin, f"hours{weekday}_end": end}
    closed = {f"closed{row}_{part}": "" for row in range(3) for part in ("day", "word")}
    usual = {"a_day": "1", "a_week": "3", "reason": "licence", "seen": "0"}
    return {**hours, **closed, **usual, **changes}


def lender(**changes: str) -> dict[str, str]:
    usual = {"name": "Umoja", "language": "sw", "reason": "licence", "seen": "0"}
    return {**usual, **changes}


def sheets(**changes: str) -> dict[str, str]:
    return {"days": "4", "reason": "far villages", "seen": "0", **changes}


def change(client: Client, key: str, fields: dict[str, str]) -> Any:
    return client.post(f"{SETTINGS}{key}/", fields)


def test_managers_alone_reach_settings(people: dict[str, User], client_of: ClientOf) -> None:
    pages = [SETTINGS, *(f"{SETTINGS}{one.key}/" for one in list_kinds())]
    for role, person in people.items():
        client, expected = client_of(person), 200 if role == "manager" else 403
        assert {client.get(page).status_code for page in pages} == {expected}, role
        if role != "manager":
            assert change(client, LATE_SHEETS.key, sheets()).status_code == 403
    assert not PolicyVersion.objects.exists()


def test_the_list_has_each_rule_and_unknown_ones_are_no_page(desk: Client) -> None:
    page = desk.get(SETTINGS).content.decode()
    assert all(f'data-policy="{one.key}"' in page for one in list_kinds())
    assert desk.get(f"{SETTINGS}nothing/").status_code == 404


def test_calling_rules_are_in_force_at_once(desk: Client) -> None:
    given = {"hours5_begin": "09:30", "hours5_end": "00:00", "has_holidays": "on"}
    given |= {"closed1_day": "2026-12-24", "closed1_word": "staff day"}
    assert change(desk, CALLING.key, calling(**given)).status_code == 302
    found = get_rules(APP)
    assert [one and (one.begin.hour, one.end.hour) for one in found.hours] == [
        *[(8, 17)] * 5,
        (9, 23),
        None,
    ]
    assert found.attempts == ContactAttempts(1, 3) and found.has_holidays
    assert found.closed == {CHRISTMAS_EVE: "staff day"}
    assert get_rules(lending_app("ghana")).attempts == ContactAttempts(2, 5)


def test_the_lender_s_name_and_language_are_in_force_at_once(desk: Client) -> None:
    assert read_lender("kenya").name == "kenya" and read_lender("kenya").language == "en"
    assert change(desk, LENDER.key, lender(licence="DCP-7")).status_code == 302
    found = read_lender("kenya")
    assert (found.name, found.language, found.licence) == ("Umoja", "sw", "DCP-7")
    assert read_lender("ghana").name == "ghana"


def test_late_sheets_are_in_force_at_once(desk: Client) -> None:
    assert read_days("kenya") == 2
    assert change(desk, LATE_SHEETS.key, sheets()).status_code == 302
    assert (read_days("kenya"), read_days("ghana")) == (4, 2)


@pytest.mark.parametrize(
    ("key", "fields", "name", "code"),
    [
        ("calling", calling(hours1_end="07:00"), "hours1", "order"),
        ("calling", calling(hours1_begin="17:00"), "hours1", "order"),
        ("calling", calling(hours1_end=""), "hours1", "incomplete"),
        ("calling", calling(hours1_end="25:00"), "hours1", "invalid"),
        ("calling", calling(a_day="0"), "a_day", "min_value"),
        ("calling", calling(a_week="-1"), "a_week", "min_value"),
        ("calling", calling(a_day="4"), "a_week", "order"),
        ("calling", calling(a_day="many"), "a_day", "invalid"),
        ("calling", calling(closed0_day="24.12.2026", closed0_word="x"), "closed0", "invalid"),
        ("calling", calling(closed0_day="2026-12-24"), "closed0", "incomplete"),
        ("calling", calling(closed0_word="mourning"), "closed0", "incomplete"),
        (
            "calling",
            calling(
                **dict.fromkeys(("closed0_day", "closed2_day"), "2026-12-24"),
                **dict.fromkeys(("closed0_word", "closed2_word"), "x"),
            ),
            "closed2",
            "twice",
        ),
        ("lender", lender(language="de"), "language", "invalid_choice"),
        ("lender", lender(name="Umoja\nCredit"), "name", "control"),
        ("lender", lender(name="x" * 81), "name", "max_length"),
        ("late-sheets", sheets(days="-1"), "days", "min_value"),
        ("late-sheets", sheets(days=""), "days", "required"),
    ],
)
def test_bad_input_is_refused_beside_its_field_and_stays_there(
    desk: Client, key: str, fields: dict[str, str], name: str, code: str
) -> None:
    answer = change(desk, key, fields)
    assert answer.status_code == 200
    found = answer.context["form"].errors.as_data()
    assert {field: [one.code for one in errors] for field, errors in found.items()} == {
        name: [code]
    }
    assert f'id="id_{name}_error"' in answer.content.decode()
    assert all(
        f'value="{value}"' in answer.content.decode()
        for field, value in fields.items()
        if field.startswith(name) and value and "\n" not in value and key != "lender"
    )
    assert not PolicyVersion.objects.exists()


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        (sheets(reason=""), "reason"),
        (sheets(validFrom=in_days(0)), "validFrom"),
        (sheets(validFrom=in_days(-1)), "validFrom"),
        (sheets(validFrom=in_days(400)), "validFrom"),
        (sheets(validFrom="soon"), "validFrom"),
    ],
)
def test_a_change_has_a_reason_and_a_day_to_come(
    desk: Client, fields: dict[str, str], name: str
) -> None:
    answer = change(desk, LATE_SHEETS.key, fields)
    assert list(answer.context["change"].errors) == [name]
    assert not PolicyVersion.objects.exists()


def test_the_second_of_two_sees_the_first_one_s_change(desk: Client, manager: User) -> None:
    set_policy(LATE_SHEETS, days=9)
    answer = change(desk, LATE_SHEETS.key, sheets())
    page = answer.content.decode()
    assert 'data-finding="stale"' in page and 'value="4"' in page
    assert [one.changes[0][2] for one in answer.context["others"]] == ["9"]
    assert read_days("kenya") == 9
    # Refused input does not hide that something was changed.
    page = change(desk, LATE_SHEETS.key, sheets(days="-1")).content.decode()
    assert 'data-finding="stale"' in page and 'name="seen" value="1"' in page
    assert change(desk, LATE_SHEETS.key, sheets(seen="1")).status_code == 302
    assert read_days("kenya") == 4
    assert PolicyVersion.objects.get(number=2).changed_by == manager


def test_what_is_planned_is_shown_and_begins_on_its_day(desk: Client) -> None:
    change(desk, LATE_SHEETS.key, sheets(validFrom=in_days(1)))
    version = PolicyVersion.objects.get()
    assert version.valid_from.astimezone(APP.zone).isoformat().startswith(f"{in_days(1)}T00:00:00")
    assert read_days("kenya") == 2
    page = desk.get(f"{SETTINGS}{LATE_SHEETS.key}/").content.decode()
    assert 'data-finding="planned"' in page and 'value="4"' in page
    assert 'data-finding="planned"' in desk.get(SETTINGS).content.decode()
    # The same values from now on are a change, and then are none.
    for _time in range(2):
        change(desk, LATE_SHEETS.key, sheets(seen=str(PolicyVersion.objects.count())))
        assert read_days("kenya") == 4 and PolicyVersion.objects.count() == 2


def test_the_page_lists_the_versions(desk: Client) -> None:
    for days in (3, 5):
        set_policy(LATE_SHEETS, days=days)
    answer = desk.get(f"{SETTINGS}{LATE_SHEETS.key}/")
    found = [(one.version.number, *one.changes[0][1:]) for one in answer.context["history"]]
    assert found == [(2, "3", "5"), (1, "2", "3")]
    assert [one.is_in_force for one in answer.context["history"]] == [True, False]


def test_a_closed_day_is_removed_by_an_empty_row(desk: Client) -> None:
    set_calling(closed=[["2026-12-24", "staff day"], ["2026-12-31", "stocktaking"]])
    page = desk.get(f"{SETTINGS}{CALLING.key}/").content.decode()
    assert all(f'name="closed{row}_day"' in page for row in range(5))
    kept = {"closed1_day": "2026-12-31", "closed1_word": "stocktaking", "seen": "1"}
    assert change(desk, CALLING.key, calling(**kept)).status_code == 302
    assert list(get_rules(APP).closed.values()) == ["stocktaking"]


@pytest.mark.parametrize("role", ["officer", "manager"])
def test_a_refusal_leads_managers_to_its_rule(
    people: dict[str, User], client_of: ClientOf, role: str
) -> None:
    set_calling(hours=NEVER)
    page = client_of(people[role]).get("/apps/kenya/collections/").content.decode()
    assert 'data-finding="closed"' in page
    assert (f'href="{SETTINGS}{CALLING.key}/"' in page) == (role == "manager")


def test_the_end_at_midnight_is_the_end_of_the_day() -> None:
    set_calling(hours=[["00:00", "00:00"]] * 7)
    assert all(one and one.end == end_of(one.begin) for one in get_rules(APP).hours)


def test_each_language_can_be_chosen(desk: Client) -> None:
    for number, (code, _name) in enumerate(settings.LANGUAGES):
        change(desk, LENDER.key, lender(language=code, seen=str(number)))
        assert read_lender("kenya").language == code
