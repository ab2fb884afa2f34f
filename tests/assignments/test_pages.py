"""The pages of assignments: what they say, and who reaches what."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments import rules, services
from lendingadmin.desk.assignments.models import Assignment, Basis, HandOver, RuleSet
from lendingadmin.desk.assignments.views import describe_rules
from tests.collections.desk import counted, list_wrong, read_page, words
from tests.collections.service import CallService
from tests.roles import give_roles, take_roles

pytestmark = pytest.mark.django_db
AREA = "/apps/kenya/collections/assignments/"
COUNTED_AGAIN = 'data-finding="counted-again"'


def get_today() -> Any:
    return timezone.localdate(timezone=lending_app("kenya").zone)


def test_the_overview_says_who_has_how_many_and_what_nobody_has(
    boss: Client, manager: User, officer: User, support: User
) -> None:
    for number in range(3):
        services.assign("kenya", f"B-{number}", officer, manager, None)
    services.assign("kenya", "B-9", support, manager, None)
    support.is_active = False
    support.save()
    shown = words(read_page(boss, AREA))
    assert "none support left 1" in shown and "officer 3" in shown and "manager 0" in shown
    listed = read_page(boss, f"{AREA}officers/{support.pk}/")
    assert 'data-finding="may-have-none"' in listed and "B-9" in listed


def test_people_of_other_apps_have_no_page_and_no_place_in_a_rule(
    boss: Client, manager: User, officer: User, support: User
) -> None:
    take_roles(support)
    give_roles(support, "support", apps=["ghana"])
    root = User.objects.create_superuser("root")
    for stranger in (support, root):
        assert boss.get(f"{AREA}officers/{stranger.pk}/").status_code == 404
    assert boss.get(f"{AREA}officers/{officer.pk}/").status_code == 200
    both = [{"product": "", "officers": [officer.pk, support.pk]}]
    assert describe_rules(RuleSet(app_id="kenya", rules=both)) == [("", "officer")]


def test_a_borrower_s_page_names_the_officer_and_a_manager_changes_them(
    service: CallService, boss: Client, desk: Client, manager: User, officer: User, support: User
) -> None:
    service.add(1)
    address, form = "/apps/kenya/borrowers/B-1/", f"{AREA}borrowers/B-1/"
    assert 'data-officer=""' in read_page(desk, address) and form not in read_page(desk, address)
    assert desk.get(form).status_code == 403
    assert f'href="{form}"' in read_page(boss, address)
    assert boss.post(form, {"officer": officer.pk, "seen": ""})["Location"] == address
    today = get_today()
    services.hand_over("kenya", officer, support, today, today, officer)
    html = read_page(desk, address)
    assert 'data-officer="officer"' in html and str(Basis.HAND.label) in html
    assert "support covers until" in words(html)
    # What somebody saw before that is not what stands.
    answer = boss.post(form, {"officer": support.pk, "seen": ""})
    assert answer["Location"] == form
    assert 'data-finding="changed-before"' in read_page(boss, form)
    assert Assignment.objects.get().officer == officer
    wrong = boss.post(form, {"seen": "x y"})
    assert wrong.context["form"].has_error("seen", "stale") and "errorlist" in wrong.text


def test_officers_hand_over_their_own_and_managers_anybody_s(
    boss: Client, desk: Client, officer: User, support: User, manager: User
) -> None:
    address, today = f"{AREA}hand-overs/", get_today()
    given = {"standIn": support.pk, "firstDay": today, "lastDay": today + timedelta(days=3)}
    assert desk.post(address, given | {"officer": manager.pk}).status_code == 302
    own = HandOver.objects.get()
    assert own.officer == officer
    assert "support covers for you" in words(read_page(desk, "/apps/kenya/"))
    assert "support for officer" in words(read_page(desk, address))
    assert list_wrong(desk.post(address, given)) == {"firstDay": ["taken"]}
    away = given | {"officer": manager.pk, "standIn": officer.pk}
    assert list_wrong(boss.post(address, away)) == {"standIn": ["away"]}
    wrong = {"standIn": officer.pk, "firstDay": "2020-01-01", "lastDay": "2019-01-01"}
    answer = boss.post(address, wrong | {"officer": officer.pk})
    assert list_wrong(answer) == {"firstDay": ["past"], "standIn": ["same"]}
    boss.post(address, given | {"officer": manager.pk})
    others = HandOver.objects.get(officer=manager)
    assert desk.post(f"{address}{others.pk}/end").status_code == 404
    assert desk.post(f"{address}{own.pk}/end").status_code == 302
    assert 'data-finding="empty"' in read_page(desk, address)


def test_rules_are_counted_before_they_are_saved(
    service: CallService, boss: Client, officer: User, support: User, manager: User
) -> None:
    for number in range(4):
        service.add(number, productId="term")
    counted()
    form = read_page(boss, f"{AREA}rules/")
    assert "term" in form and 'name="shown"' not in form
    head = {"rule-TOTAL_FORMS": "2", "rule-INITIAL_FORMS": "0"}
    wrong = boss.post(f"{AREA}rules/", head | {"rule-0-product": "term"})
    assert wrong.context["rows"][0].has_error("officers", "required")
    assert 'id="id_rule-0-officers_error"' in wrong.content.decode()
    given = head | {"rule-0-product": "term", "rule-0-officers": [officer.pk, support.pk]}

    def send(**more: str) -> tuple[str, dict[str, str]]:
        html = boss.post(f"{AREA}rules/", given | more).content.decode()
        mark = re.search(r'name="shown" value="([^"]+)"', html)
        assert mark
        return html, {"shown": mark[1]}

    html, seen = send()
    assert "4 borrowers without an officer will get an officer" in words(html)
    assert "0 other borrowers get another officer" in words(html)
    assert COUNTED_AGAIN not in html and not RuleSet.objects.exists()
    services.assign("kenya", "B-1", manager, manager, None)
    html, seen = send(**seen)
    assert COUNTED_AGAIN in html and "3 borrowers without an officer" in words(html)
    assert not RuleSet.objects.exists() and Assignment.objects.count() == 1
    saved = boss.post(f"{AREA}rules/", given | seen)
    assert saved["Location"] == AREA
    found = RuleSet.objects.get()
    assert rules.find_active("kenya") == found
    assert "Product term" in words(read_page(boss, AREA))
    entry = Entry.objects.latest("pk")
    assert (entry.outcome, entry.url) == ("saved", f"{AREA}rules/{found.pk}/")
    assert "Product term" in words(read_page(boss, entry.url))
    assert COUNTED_AGAIN in send(**seen)[0] and RuleSet.objects.get() == found
