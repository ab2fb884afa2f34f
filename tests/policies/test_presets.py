"""The facts about a country: what follows from them is compared, and applied by a manager."""

from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.policies.kinds import fill_form, find_kind
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.presets import FACTS, find_country
from lendingadmin.core.policies.services import read_values
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.policies import RETENTION
from lendingadmin.desk.collections.policies import CALLING
from tests.policies.setting import set_calling, set_policy, set_retention, set_second_manager
from tests.roles import give_roles

pytestmark = pytest.mark.django_db
ROLE = "manager"
PAGE = "/apps/kenya/settings/countries/"
VALUES = [
    (country, key, build)
    for country, facts in FACTS.items()
    for fact in facts
    for key, build in fact.values.items()
]


def apply(desk: Client, country: str, **changes: str) -> Any:
    shown = desk.get(PAGE, {"country": country}).context["shown"]
    fields = {"reason": "our counsel", "shown": shown, **changes}
    return desk.post(f"{PAGE}?country={country}", fields)


def test_the_country_of_the_zone_comes_first(desk: Client) -> None:
    assert [find_country(lending_app(app_id)) for app_id in ("kenya", "ghana")] == ["KE", "GH"]
    assert desk.get(PAGE).context["country"] == "KE"
    assert desk.get(PAGE, {"country": "FR"}).status_code == 404


@pytest.mark.parametrize(
    ("country", "key", "build"), VALUES, ids=[f"{country}-{key}" for country, key, _ in VALUES]
)
def test_the_forms_accept_what_follows(country: str, key: str, build: Any) -> None:
    kind = find_kind(key)
    assert kind is not None
    values = build(kind.complete(None))
    form = fill_form(kind, lending_app("kenya"), values)
    assert form.is_valid() and form.get_values() == values


def test_what_is_not_verified_leads_to_nothing(desk: Client) -> None:
    facts = [fact for facts in FACTS.values() for fact in facts]
    assert not any(fact.values for fact in facts if not fact.is_verified)
    assert all(fact.source for fact in facts if fact.is_verified)
    page = desk.get(PAGE, {"country": "KE"}).content.decode()
    assert page.count('data-fact="unverified"') == 3
    assert 'data-finding="nothing-to-apply"' in page and 'name="reason"' not in page


def test_a_manager_applies_what_differs_and_then_nothing_does(desk: Client) -> None:
    set_retention(texts=365, texts_notes=30, texts_calls=0, rows=400, rows_tasks=14)
    assert 'data-proposal="retention"' in desk.get(PAGE, {"country": "UG"}).content.decode()
    assert apply(desk, "UG").status_code == 302
    found = read_values(RETENTION)
    assert {key: found[key] for key in ("texts", "texts_notes", "texts_calls")} == {
        "texts": 3653, "texts_notes": 3653, "texts_calls": 0,
    }  # fmt: skip
    assert (found["rows"], found["rows_tasks"]) == (3653, 14)
    page = desk.get(PAGE, {"country": "UG"}).content.decode()
    assert 'data-finding="nothing-to-apply"' in page


def test_hours_are_shortened_and_stricter_ones_stay(desk: Client) -> None:
    hours = [["06:00", "00:00"], ["09:00", "17:00"], ["05:00", "07:30"], *[None] * 4]
    set_calling(hours=hours)
    apply(desk, "NG")
    assert read_values(CALLING, "kenya")["hours"] == [
        ["08:00", "21:00"], ["09:00", "17:00"], *[None] * 5,
    ]  # fmt: skip


def test_a_guarded_rule_waits_for_a_second_manager(desk: Client) -> None:
    give_roles(User.objects.create_user("second"), "manager")
    set_second_manager()
    apply(desk, "UG")
    assert PolicyVersion.objects.get(kind=RETENTION.key).state == PolicyVersion.State.WAITING
    assert read_values(RETENTION) == RETENTION.complete(None)


def test_what_was_changed_since_is_compared_again(desk: Client) -> None:
    shown = desk.get(PAGE, {"country": "TZ"}).context["shown"]
    set_policy(find_kind("lender"), name="Pesa")  # type: ignore[arg-type]
    answer = apply(desk, "TZ", shown=shown)
    assert answer.status_code == 200 and PolicyVersion.objects.count() == 1
    assert list(apply(desk, "TZ", reason="").context["form"].errors) == ["reason"]
    assert apply(desk, "TZ").status_code == 302
    assert read_values(find_kind("lender"), "kenya")["language"] == "sw"  # type: ignore[arg-type]
    assert read_values(find_kind("lender"), "kenya")["name"] == "Pesa"  # type: ignore[arg-type]
