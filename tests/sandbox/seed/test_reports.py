"""The seeded events and assessments: what the sandbox takes, and what it makes of them."""

import re
from collections import Counter
from datetime import UTC, datetime

import pytest

from lendingadmin.sandbox.rules.entity_values import check_category, read_data
from lendingadmin.sandbox.rules.events import has_errors
from lendingadmin.sandbox.rules.evidence import build_window, find_facts
from lendingadmin.sandbox.rules.instants import read_timestamp
from lendingadmin.sandbox.rules.scoring import CREDIT, assess
from lendingadmin.sandbox.seed.book import BORROWERS
from lendingadmin.sandbox.seed.people import Body, build_borrower
from lendingadmin.sandbox.seed.reports import Reports, plan_reports

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


@pytest.fixture(scope="module", params=tuple(BORROWERS))
def told(request: pytest.FixtureRequest) -> list[tuple[Body, Reports]]:
    people = [build_borrower(request.param, n, NOW) for n in range(BORROWERS[request.param])]
    return [(body, plan_reports(request.param, n, body, NOW)) for n, body in enumerate(people)]


def test_a_part_of_the_borrowers_is_reported_on(told: list[tuple[Body, Reports]]) -> None:
    kinds = Counter(
        (body["category"], len(one.events), bool(one.assessments)) for body, one in told
    )
    assert len(told) / 4 < sum(bool(one.assessments) for _, one in told) < len(told) / 2
    assert set(kinds) == {
        ("individual", 3, True),
        ("individual", 0, False),
        ("company", 0, True),
        ("company", 0, False),
    }


def test_every_event_is_one_that_the_service_takes(told: list[tuple[Body, Reports]]) -> None:
    kinds = Counter[str]()
    for body, one in told:
        for event in one.events:
            moment = read_timestamp(event["timestamp"], "timestamp")
            data = read_data(event["data"], "data")
            check_category(event["category"], data)
            assert not has_errors(data, moment)
            assert moment <= NOW
            assert event["accountId"] == f"borrower:{body['borrowerId']}"
            kinds.update(group["kind"].partition("/")[2] for group in data)
    assert set(kinds) == {"sms", "contact", "device/battery", "device/location", "device/app"}


def test_what_the_texts_say_leads_to_every_kind_of_outcome(
    told: list[tuple[Body, Reports]],
) -> None:
    over = build_window(NOW.replace(hour=0, minute=0, second=0), 90)
    outcomes = [
        assess(
            find_facts([group for event in one.events for group in event["data"]], [], over), CREDIT
        )
        for _, one in told
        if one.events
    ]
    types = Counter(outcome.type for outcome in outcomes)
    assert set(types) == {"authorized", "declined", "invalid"}
    assert types["authorized"] > len(outcomes) / 2
    assert {"money_out_over_twice_money_in", "too_little_data"} <= {one.rule for one in outcomes}
    assert len({outcome.credit_score for outcome in outcomes}) > 10


def test_it_is_the_same_every_time_and_all_day() -> None:
    for n in range(0, 30, 3):
        body = build_borrower("kenya", n, NOW)
        assert plan_reports("kenya", n, body, NOW) == plan_reports("kenya", n, body, NOW)
        later = NOW.replace(hour=23, minute=59)
        assert plan_reports("kenya", n, body, later) == plan_reports("kenya", n, body, NOW)


def test_nothing_is_asked_twice(told: list[tuple[Body, Reports]]) -> None:
    asked = Counter(str(one) for _, report in told for one in report.assessments)
    events = Counter((e["accountId"], e["timestamp"]) for _, one in told for e in one.events)
    assert max(asked.values()) == max(events.values()) == 1
    assert {re.sub(r".*/", "", a["assessmentType"]) for _, r in told for a in r.assessments} == {
        "credit-90-days",
        "loan-history-180-days",
    }


def test_texts_lie_within_the_window_and_in_order(told: list[tuple[Body, Reports]]) -> None:
    over = build_window(NOW.replace(hour=0, minute=0, second=0), 90)
    for _, one in told:
        for event in one.events[2:]:
            moments = [text["timestamp"] for text in event["data"][0]["values"]]
            assert moments == sorted(moments)
            assert moments[0] > over.since.timestamp() * 1000
