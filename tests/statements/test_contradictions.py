"""What a statement says otherwise than the journal, from both sides, until it was seen."""

from decimal import Decimal

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import contradictions
from lendingadmin.money.repayments.models import Repayment
from tests.conftest import ClientOf
from tests.roles import hold_only

from .test_alarms import PLAIN, bring_in, enter

pytestmark = pytest.mark.django_db
PAGE = "/apps/kenya/statements/contradictions/"
# The button that takes one off the page.
SEEN = '<button type="submit" name="key"'


@pytest.fixture
def boss_desk(client_of: ClientOf, manager: User) -> Client:
    return client_of(manager)


def read(desk: Client) -> str:
    return desk.get(PAGE).content.decode()


def test_one_code_on_two_loans_stands_with_both_and_with_its_row(
    boss_desk: Client, support: User
) -> None:
    both = [enter(support, PLAIN[0]), enter(support, PLAIN[0], account_id="L-FRIEND")]
    fine = enter(support, PLAIN[1])
    file = bring_in(support)
    page = read(boss_desk)
    line = file.lines.get(receipt=PLAIN[0].receipt)
    assert f"{file}, row {line.number}" in page and f"?after={line.position - 1}" in page
    assert all(f">{one}<" in page for one in both) and f">{fine}<" not in page
    assert "L-FRIEND" in page and page.count(SEEN) == 1


def test_an_amount_above_what_arrived_stands_beside_it(boss_desk: Client, support: User) -> None:
    enter(support, PLAIN[0], amount=PLAIN[0].amount + Decimal(400))
    bring_in(support)
    page = read(boss_desk)
    assert f"{PLAIN[0].amount:,.2f}" in page and f"{PLAIN[0].amount + 400:,.2f}" in page


def test_what_was_seen_leaves_the_page_and_the_home_page(boss_desk: Client, support: User) -> None:
    for one in PLAIN[:2]:
        enter(support, one, amount=one.amount + 1)
    bring_in(support)
    key = Repayment.objects.earliest("pk").external_id_key
    assert boss_desk.post(PAGE, {"key": key}).status_code == 302
    page = read(boss_desk)
    assert PLAIN[0].receipt not in page and PLAIN[1].receipt in page
    left = Repayment.objects.with_unseen_alarm("kenya").values_list("external_id", flat=True)
    assert list(left) == [PLAIN[1].receipt]


def test_an_unknown_key_marks_nothing(boss_desk: Client, support: User) -> None:
    enter(support, PLAIN[0], amount=PLAIN[0].amount + 1)
    bring_in(support)
    boss_desk.post(PAGE, {"key": "nothing"})
    assert Repayment.objects.with_unseen_alarm("kenya").count() == 1


def test_support_is_not_shown_it_and_not_told(
    client_of: ClientOf, support: User, manager: User
) -> None:
    enter(support, PLAIN[0], amount=PLAIN[0].amount + 1)
    bring_in(support)
    assert client_of(support).get(PAGE).status_code == 403
    assert not contradictions.list_waiting("kenya", support)
    assert contradictions.list_waiting("kenya", manager).count() == 1
    assert PAGE in client_of(manager).get("/apps/kenya/statements/").content.decode()
    assert PAGE not in client_of(support).get("/apps/kenya/statements/").content.decode()


def test_many_are_cut_and_said_to_be_so(
    boss_desk: Client, support: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contradictions, "AT_MOST", 2)
    for one in PLAIN[:3]:
        enter(support, one, amount=one.amount + 1)
    bring_in(support)
    page = read(boss_desk)
    assert page.count(SEEN) == 2 and 'data-finding="oldest" data-count="2"' in page


def test_who_may_not_see_names_sees_no_payer(
    client_of: ClientOf, support: User, manager: User, officer: User
) -> None:
    enter(support, PLAIN[0], amount=PLAIN[0].amount + 1)
    bring_in(support)
    surname = PLAIN[0].name.split()[-1]
    assert surname in read(client_of(manager))
    hold_only(officer, "dashboard.repayments.resolve", "dashboard.statements.read")
    page = read(client_of(officer))
    assert PLAIN[0].receipt in page and surname not in page
