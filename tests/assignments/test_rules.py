"""Rules: who gets whom, what a changed rule moves, and to whom the borrowers of a leaver go."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments import rules, services, tasks
from lendingadmin.desk.assignments.models import Assignment, Basis, RuleSet, RuleWalk
from lendingadmin.desk.assignments.rules import Effect, Rule, choose, choose_officer
from tests.collections.desk import counted
from tests.collections.service import CallService
from tests.roles import give_roles, take_roles

pytestmark = pytest.mark.django_db
RULES = st.lists(
    st.builds(
        Rule,
        st.sampled_from(["", "term", "emergency"]),
        st.lists(st.integers(1, 6), min_size=1, unique=True).map(tuple),
    ),
    max_size=4,
)


def read_all() -> dict[str, str]:
    rows = Assignment.objects.filter(app_id="kenya").order_by("borrower_id")
    return dict(rows.values_list("borrower_id", "officer__username"))


def follow() -> RuleWalk:
    """The worker's part, to the end."""
    tasks.begin_walks.func()
    walk = RuleWalk.objects.latest("pk")
    while rules.run_slice(walk.pk) is not None:
        pass
    walk.refresh_from_db()
    return walk


def save(manager: User, *wanted: Rule) -> RuleSet:
    rule_set = rules.save("kenya", wanted, rules.find_active("kenya"), manager)
    assert rule_set is not None
    follow()
    return rule_set


@given(
    wanted=RULES,
    present=st.frozensets(st.integers(1, 6)),
    borrower_id=st.text(max_size=9),
    products=st.frozensets(st.sampled_from(["term", "emergency", "other"])),
)
def test_the_first_rule_that_fits_and_has_somebody_decides(
    wanted: list[Rule], present: frozenset[int], borrower_id: str, products: frozenset[str]
) -> None:
    chosen = choose(wanted, present, borrower_id, products)
    fitting = [
        one
        for one in wanted
        if (not one.product or one.product in products) and present & set(one.officers)
    ]
    assert (chosen is None) == (not fitting)
    if chosen is not None:
        assert chosen == choose_officer(borrower_id, sorted(present & set(fitting[0].officers)))


def test_everybody_with_an_open_loan_gets_an_officer(
    service: CallService, manager: User, officer: User, support: User, monkeypatch: Any
) -> None:
    monkeypatch.setattr(rules, "LOANS_OF_A_STEP", 3)
    for number in range(20):
        service.add(number, productId="term")
    # Seven loans of one borrower, more than are looked at in one step, one of another product.
    for number in range(20, 26):
        service.add(number, borrowerId="B-1", productId="term")
    service.add(26, borrowerId="B-1", productId="emergency")
    service.add(27, status=3, settlementDate="2026-01-02T00:00:00.000Z", productId="term")
    counted()
    emergency = Rule("emergency", (manager.pk,))
    save(manager, emergency, Rule("term", (officer.pk, support.pk)))
    found = read_all()
    assert set(found) == {f"B-{number}" for number in range(20)}
    assert found.pop("B-1") == "manager"
    assert set(Counter(found.values())) == {"officer", "support"}
    assert set(Assignment.objects.values_list("basis", "assigned_by")) == {(Basis.RULE, None)}


def test_a_count_says_what_saving_does(
    service: CallService, manager: User, officer: User, support: User
) -> None:
    for number in range(40):
        service.add(number, productId="term" if number % 2 else "other")
    service.add(40, borrowerId="B-1", productId="other")
    counted()
    services.assign("kenya", "B-0", manager, manager, None)
    first = [Rule("", (officer.pk,))]
    effect = rules.count_effect("kenya", first)
    assert _list_counts(effect) == (39, 0, 1, 0)
    assert len(read_all()) == 1
    save(manager, *first)
    assert len(read_all()) == 40
    services.assign("kenya", "B-1", manager, manager, _see("B-1"))
    wanted = [Rule("term", (support.pk, officer.pk))]
    before, said = read_all(), rules.count_effect("kenya", wanted)
    assert rules.save("kenya", wanted, said.replaces, manager)
    did, after = follow(), read_all()
    assert _list_counts(said) == _list_counts(did)
    changed = {key for key in before if before[key] != after[key]}
    assert len(changed) == said.moved and changed and said.assigned == 0
    # What people did stays, and so does whoever no rule names any more.
    assert after["B-0"] == after["B-1"] == "manager"
    assert all(int(key[2:]) % 2 and after[key] == "support" for key in changed)


def _list_counts(found: Effect | RuleWalk) -> tuple[int | None, ...]:
    return found.assigned, found.moved, found.stayed, found.unmatched


def test_a_count_changes_with_all_that_it_hangs_on(
    service: CallService, manager: User, officer: User, support: User
) -> None:
    service.add(1, productId="term")
    wanted, marks = [Rule("term", (officer.pk, support.pk))], list[str]()

    def count() -> None:
        marks.append(rules.count_effect("kenya", wanted).fingerprint)
        assert marks[-1] == rules.count_effect("kenya", wanted).fingerprint

    count()
    counted()
    count()
    services.assign("kenya", "B-1", officer, manager, None)
    count()
    service.add(2, borrowerId="B-1", productId="other")
    counted()
    count()
    assert rules.save("kenya", [], None, manager)
    count()
    support.is_active = False
    support.save()
    count()
    wanted = [Rule("term", (officer.pk,))]
    count()
    assert len(set(marks)) == len(marks) == 7


def _see(borrower_id: str) -> services.Seen:
    row = services.find_assignment("kenya", borrower_id)
    assert row is not None
    return services.Seen(row.officer_id, row.assigned_at)


def test_without_a_change_nobody_moves(
    service: CallService, manager: User, officer: User, support: User
) -> None:
    for number in range(9):
        service.add(number, productId="term")
    counted()
    save(manager, Rule("term", (officer.pk,)), Rule("", (support.pk,)))
    for number in range(5):
        service.loans[f"L-{number}"]["productId"] = "other"
    service.add(9, productId="other")
    counted()
    walk = follow()
    assert (walk.assigned, walk.stayed, walk.reassigns) == (1, 9, False)
    assert Counter(read_all().values()) == {"officer": 9, "support": 1}


def test_who_leaves_loses_them_to_the_rules(
    service: CallService, manager: User, officer: User, support: User
) -> None:
    for number in range(9):
        service.add(number)
    counted()
    save(manager, Rule("", (officer.pk, support.pk)))
    services.assign("kenya", "B-0", officer, manager, _see("B-0"))
    assert "officer" in read_all().values()
    officer.is_active = False
    officer.save()
    follow()
    assert set(read_all().values()) == {"support"}
    # Nobody else is there.
    take_roles(support)
    give_roles(support, "viewer")
    walk = follow()
    assert walk.unmatched == 9


def test_rules_that_others_replaced_meanwhile_are_not_saved(
    service: CallService, manager: User, officer: User
) -> None:
    wanted = [Rule("", (officer.pk,))]
    first = rules.save("kenya", wanted, None, manager)
    assert first is not None and rules.save("kenya", wanted, None, manager) is None
    second = rules.save("kenya", [], first, manager)
    assert second is not None and rules.save("kenya", wanted, first, manager) is None
    assert rules.find_active("kenya") == second
    assert RuleSet.objects.count() == RuleWalk.objects.count() + 2 == 2


def test_what_a_person_does_meanwhile_stands(
    service: CallService, manager: User, officer: User, support: User, monkeypatch: Any
) -> None:
    """Between reading and writing somebody assigns by hand: the rule overwrites nothing."""
    for number in range(3):
        service.add(number)
    counted()
    save(manager, Rule("", (officer.pk,)))
    Assignment.objects.filter(borrower_id="B-1").delete()
    write = rules.save_assignments

    def meanwhile(*given: Any) -> None:
        services.assign("kenya", "B-0", manager, manager, _see("B-0"))
        services.assign("kenya", "B-1", manager, manager, None)
        write(*given)

    monkeypatch.setattr(rules, "save_assignments", meanwhile)
    save(manager, Rule("", (support.pk,)))
    assert read_all() == {"B-0": "manager", "B-1": "manager", "B-2": "support"}
