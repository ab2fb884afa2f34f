"""Lists that grow for years: all of it is reached, page by page, and nothing is cut in silence."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import reconciliation, services
from lendingadmin.money.repayments.lookalikes import look_alikes
from lendingadmin.money.repayments.models import Mistake, Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.conftest import ClientOf
from tests.repayments.rows import row

pytestmark = pytest.mark.django_db
UNKNOWN = "/apps/kenya/repayments/unknown/"
JOURNAL = "/apps/kenya/repayments/"


def many(
    by: User, count: int, state: RepaymentState = RepaymentState.RECORDED, **fields: object
) -> list[Repayment]:
    """Repayments entered at the same moment, so that only their numbers tell them apart."""
    now = timezone.now()
    return [row(by, state, created_at=now, **fields) for _ in range(count)]


def walk(client: Client, address: str, section: str = "") -> list[list[int]]:
    """The repayments of each page of a list, from one “Next page” to the next."""
    pages: list[list[int]] = []
    while address and len(pages) < 20:
        page = client.get(address).content.decode()
        if section:
            page = page.partition(section)[2].partition("</section>")[0]
        pages.append([int(number) for number in re.findall(r">rp-(\d+)</a>", page)])
        following = re.search(r'href="([^"]+)" rel="next"', page) or re.search(
            r'href="([^"]+)">Search further', page
        )
        address = unescape(following[1]) if following else ""
    return pages


@pytest.mark.parametrize(
    ("address", "size"), [(UNKNOWN, 25), (JOURNAL, 50), (f"{JOURNAL}?state=doubtful", 50)]
)
def test_three_hundred_unknown_ones_are_reached_page_by_page(
    desk: Client, support: User, address: str, size: int
) -> None:
    rows = many(support, 120, RepaymentState.UNKNOWN) + many(support, 180, RepaymentState.NOT_FOUND)
    pages = walk(desk, address)
    assert [len(page) for page in pages] == [size] * (300 // size)
    shown = [number for page in pages for number in page]
    expected = [one.pk for one in rows]
    assert shown == (expected if address == UNKNOWN else expected[::-1])
    assert 'data-field="total">· 300 ' in desk.get(address).content.decode()


def test_alarms_and_reports_are_paged_beside_them(desk: Client, support: User) -> None:
    alarmed = many(support, 60, alarm="late", alarm_at=timezone.now())
    for one in many(support, 60):
        Mistake.objects.create(
            repayment=one,
            note="n",
            reported_by=support,
            reported_at=timezone.now(),
            idempotency_key=one.idempotency_key,
        )
    alarms = walk(desk, UNKNOWN, 'id="alarms"')
    assert [number for page in alarms for number in page] == [one.pk for one in alarmed]
    reports = walk(desk, UNKNOWN, 'id="reported"')
    assert [len(page) for page in reports] == [10] * 6


def test_home_shows_the_first_and_says_how_many_there_are(
    support: User, manager: User, client_of: ClientOf
) -> None:
    many(support, 12, alarm="late", alarm_at=timezone.now())
    many(support, 11, RepaymentState.UNKNOWN)
    for one in many(support, 13):
        Mistake.objects.create(
            repayment=one,
            note="n",
            reported_by=support,
            reported_at=timezone.now(),
            idempotency_key=one.idempotency_key,
        )
    page = client_of(manager).get("/apps/kenya/").content.decode()
    assert page.count(": late</li>") == 5
    kinds = re.findall(r'data-decision="(mistake|resolve)">\s*<h3><a [^>]*>(\d+) ', page)
    assert kinds == [("mistake", "13"), ("resolve", "11")]
    for name, _count in kinds:
        own = page.partition(f'data-decision="{name}"')[2].partition("data-decision=")[0]
        assert own.count('class="button small"') == 5
    assert "All 12</a>" in page


def test_the_badge_counts_no_further_than_a_person_reads(desk: Client, support: User) -> None:
    one = row(support, RepaymentState.UNKNOWN)
    rest = Repayment.objects.filter(pk=one.pk).values().get()
    del rest["id"]
    Repayment.objects.bulk_create(
        Repayment(**rest | {"idempotency_key": f"f-{number}", "account_id": f"A-{number}"})
        for number in range(1000)
    )
    page = desk.get("/apps/kenya/repayments/day/").content.decode()
    assert '<span class="chip odd">1,000+</span>' in page
    assert 'data-field="total">· 1,000+ ' in desk.get(UNKNOWN).content.decode()
    Repayment.objects.filter(idempotency_key="f-0").delete()
    page = desk.get("/apps/kenya/repayments/day/").content.decode()
    assert '<span class="chip odd">1000</span>' in page


def test_what_few_entries_meet_is_looked_for_piece_by_piece(
    desk: Client, support: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lendingadmin.web.keyset.AT_MOST", 20)
    first = row(support, network="RARE")
    many(support, 50)
    last = row(support, network="RARE")
    address = f"{JOURNAL}?network=RARE"
    assert walk(desk, address) == [[last.pk], [], [first.pk]]
    page = desk.get(address)
    note = page.context["pager"]["note"]
    assert "20" in note and note in page.text and 'rel="next"' in page.text
    assert 'data-field="total"' not in page.text
    nothing = desk.get(f"{JOURNAL}?network=NONE").content.decode()
    assert 'data-finding="may-be-more"' in nothing


def test_a_page_holds_still_while_repayments_are_entered(desk: Client, support: User) -> None:
    rows = many(support, 60)
    second = re.search(r'href="([^"]+)" rel="next"', desk.get(JOURNAL).content.decode())
    assert second
    many(support, 5)
    page = desk.get(unescape(second[1])).content.decode()
    assert [int(number) for number in re.findall(r">rp-(\d+)</a>", page)] == [
        one.pk for one in rows[9::-1]
    ]


def test_an_app_whose_looks_pile_up_leaves_the_others_their_turn(support: User) -> None:
    past = timezone.now() - timedelta(hours=1)
    for _ in range(3):
        row(support, RepaymentState.UNKNOWN, next_check_at=past)
    other = row(support, RepaymentState.UNKNOWN, app_id="ghana", next_check_at=timezone.now())
    assert reconciliation.list_due()[1] == other
    assert len(reconciliation.list_due()) == 4


def test_a_look_alike_of_another_app_is_not_shown(
    desk: Client, support: User, asked: Callable[..., services.Request]
) -> None:
    here = row(support, external_id="TX-SAME")
    row(support, external_id="TX-SAME", app_id="ghana")
    assert look_alikes(asked(external_id="tx same", account_id="L-other"), "f") == [here]
