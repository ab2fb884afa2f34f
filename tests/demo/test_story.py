"""The demo's story: what it leaves in the journal and elsewhere, and that no page is empty."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.urls import reverse
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp, lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import ROLES
from lendingadmin.demo import story
from lendingadmin.demo.preparing import make_people, set_rules
from lendingadmin.demo.story.cast import APP
from lendingadmin.desk.assignments.models import Assignment, HandOver
from lendingadmin.desk.collections.models import Call, Promise, Stop
from lendingadmin.desk.collections.states import PromiseState, StopKind
from lendingadmin.desk.portfolio.models import SavedList, Snapshot
from lendingadmin.desk.sheets.services import list_late
from lendingadmin.desk.statements import keeping
from lendingadmin.desk.statements.lines import Place
from lendingadmin.desk.statements.models import StatementFile, StatementLine
from lendingadmin.money.repayments import cash, mistakes
from lendingadmin.money.repayments.managers import CASH
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.records.notes.models import Note
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.conftest import ClientOf
from tests.sandbox_process import SandboxProcess, running_sandbox

pytestmark = pytest.mark.django_db
SIDEBAR = re.compile(r'<a href="(/[^"]*)"\s+(?:aria-current="page"\s+)?data-key')
TOUR = re.compile(r'data-demo="tour".*?</section>', re.S)
LINK = re.compile(r'href="([^"]+)"')
EMPTY = re.compile(r'class="empty"[^>]*>.*?</div>', re.S)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SandboxProcess, bytes]]:
    """A sandbox of its own, and the history that it wrote."""
    folder = tmp_path_factory.mktemp("story")
    arguments = ("--fill", "--history", str(folder / "history"))
    with running_sandbox(folder, *arguments) as process:
        yield process, (folder / "history").read_bytes()


@pytest.fixture
def app(filled: tuple[SandboxProcess, bytes], tmp_path: Path, settings: LazySettings) -> LendingApp:
    """The app of the story, which has just been told."""
    process, history = filled
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = process.base_url
    settings.DEMO, settings.ROOT_URLCONF = True, "tests.demo.urls"
    make_people("demo", process.base_url)
    set_rules()
    (tmp_path / "history").write_bytes(history)
    story.tell(tmp_path / "history")
    return lending_app(APP)


def test_the_story_is_in_the_journal_and_elsewhere(app: LendingApp, tmp_path: Path) -> None:
    today = timezone.localdate(timezone=app.zone)
    yesterday = today - timedelta(days=1)
    entered = Repayment.objects.on_days(yesterday, yesterday, "", app.zone)
    assert entered.values("created_by").distinct().count() == 3
    assert entered.exclude(network=CASH).count() == 24
    differences = [one.difference for one in cash.list_tills(app, yesterday)]
    assert sorted(filter(None, differences)) == [Decimal(-200)] and len(differences) == 2
    states = Counter(Repayment.objects.values_list("state", flat=True))
    assert states[RepaymentState.UNKNOWN] == states[RepaymentState.AWAITING] == 1
    assert set(states) == {*states, RepaymentState.RECORDED}
    assert mistakes.list_open(APP).count() == 1

    file = StatementFile.objects.get()
    assert file.is_certain and (file.covers_from, file.covers_to) == (yesterday, yesterday)
    places = Counter(StatementLine.objects.values_list("place", flat=True))
    assert places == {Place.RECORDED: 24, Place.UNALLOCATED: 4}

    updates = Snapshot.objects.filter(app_id=APP).order_by("began_at")
    days = [one.began_at.astimezone(app.zone).date() for one in updates]
    assert days == [today - timedelta(days=ago) for ago in range(13, -1, -1)]
    paid = [one.figures["sums"]["outstanding"] for one in updates]
    assert len(set(map(tuple, paid))) > 7

    assert Call.objects.count() == 12
    promises = dict(Promise.objects.values_list("state", "day"))
    assert set(promises) == {PromiseState.KEPT, PromiseState.BROKEN, PromiseState.OPEN}
    assert promises[PromiseState.OPEN] == today
    assert Stop.objects.filter(kind=StopKind.DISPUTE, ended_at=None).exists()
    assert Assignment.objects.values("officer").distinct().count() == 3
    away = HandOver.objects.get()
    assert away.first_day <= today <= away.last_day
    assert list_late(app).count() == 1
    assert Note.objects.count() == 3
    assert SavedList.objects.get().is_shared
    offers = Counter(OfferRequest.objects.values_list("state", flat=True))
    assert offers == {OfferState.DONE: 3, OfferState.FAILED: 2}

    before = Repayment.objects.count(), Call.objects.count(), Note.objects.count()
    story.tell(tmp_path / "history")
    assert before == (Repayment.objects.count(), Call.objects.count(), Note.objects.count())


def test_no_main_page_is_empty_for_anybody(app: LendingApp, client_of: ClientOf) -> None:
    yesterday = timezone.localdate(timezone=app.zone) - timedelta(days=1)
    more = [
        reverse("repayments-day", args=[APP]) + f"?date={yesterday}",
        reverse("statements-day", args=[APP, str(yesterday)]),
        reverse("statement", args=[APP, StatementFile.objects.get().pk]),
        *(reverse(name, args=[APP]) for name in ("needs-checking", "unallocated", "call-stops")),
        SavedList.objects.get().get_absolute_url(),
    ]
    empty = []
    for name in ROLES:
        client = client_of(User.objects.get(username=name))
        home = reverse("home", args=[APP])
        page = client.get(home).content.decode()
        areas, [tour] = SIDEBAR.findall(page), TOUR.findall(page)
        # Support staff hand nobody over.
        own = [reverse("hand-overs", args=[APP])] if name in ("officer", "manager") else []
        assert len(areas) > 5
        for address in {home, *areas, *LINK.findall(tour), *more, *own}:
            answer: Any = client.get(address, follow=True)
            if answer.status_code == 403 and address in more:
                continue
            assert answer.status_code == 200, (name, address)
            empty += [(name, address, found) for found in EMPTY.findall(answer.content.decode())]
    assert not empty


def test_the_file_to_try_can_be_uploaded_and_is_the_same_when_it_is_fetched_again(
    app: LendingApp, client_of: ClientOf
) -> None:
    clerk = User.objects.get(username="support")
    address = reverse("demo-this-morning", args=[APP])
    first, second = (client_of(clerk).get(address).content for _ in range(2))
    file, is_new = keeping.take_in(app, first, clerk)
    assert is_new and file.is_certain
    places = Counter(file.lines.values_list("place", flat=True))
    assert places[Place.RECORDED] == 1 and places[Place.UNALLOCATED] > 10
    assert len(first.splitlines()) == len(second.splitlines())
