"""The walk through the borrowers: whole, whatever the service and other people do meanwhile."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import settings as product
from django.db import connection, transaction
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.worker import duties, walks
from lendingadmin.core.worker.worker import Worker
from lendingadmin.people.index import cards, find, live, tasks
from lendingadmin.people.index.models import BorrowerCard, BorrowerIndex, CardToken, WordKey
from lendingadmin.people.index.walk import BorrowerWalk
from lendingadmin.web.masking import WHOLE_RECORD
from tests.faults.behaviours import refusal, reply
from tests.faults.server import Behaviour, FaultServer, Wire

from .conftest import APP, make_borrower
from .service import LIST, PeopleService, borrower

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("only_kenya")]
State = BorrowerIndex.State


def make_service(server: FaultServer) -> PeopleService:
    """A service with five borrowers, in pages of two."""
    return PeopleService(server, [borrower(number) for number in range(5)])


def walked() -> BorrowerIndex:
    """Walk through `kenya` here and now, without a worker."""
    index = tasks.start(APP)
    assert index is not None
    while BorrowerWalk.run_slice(index.pk) is not None:
        pass
    index.refresh_from_db()
    return index


def found(text: str) -> set[str]:
    index = find.find_index(APP)
    assert index is not None
    return {person.borrower_id for person in find.find_people(index, text, WHOLE_RECORD).people}


ALL = {f"B-{number}" for number in range(5)}


def test_everybody_is_found_after_it(service: PeopleService) -> None:
    index = walked()
    assert (index.state, index.seen, index.unreadable) == (State.IDLE, 5, 0)
    assert index.complete_at is not None and index.page_token == ""
    assert found("ann kamau") == ALL
    assert found("0700000003") == {"B-3"}


def test_a_worker_does_it_by_the_clock(service: PeopleService, settings: Any) -> None:
    settings.PEOPLE_EVERY = timedelta(hours=6)
    Worker(once=True).run()
    assert found("kamau") == ALL
    before = service.pages
    Worker(once=True).run()
    assert service.pages == before
    BorrowerIndex.objects.update(began_at=timezone.now() - timedelta(hours=7))
    Worker(once=True).run()
    assert service.pages == 2 * before


def test_without_a_pace_only_a_command_begins_one(service: PeopleService) -> None:
    Worker(once=True).run()
    assert service.pages == 0 and not BorrowerIndex.objects.exists()


def test_who_is_gone_at_the_service_is_gone_here(service: PeopleService) -> None:
    walked()
    del service.people[1]
    walked()
    assert found("kamau") == ALL - {"B-1"}
    assert not CardToken.objects.filter(card__borrower_id="B-1").exists()


def test_who_a_page_left_out_is_asked_for_by_id_and_stays(service: PeopleService) -> None:
    walked()
    service.hidden = {"B-1"}
    service.people[1] = borrower(1, "Njoroge")
    assert walked().state == State.IDLE
    assert found("njoroge") == {"B-1"}


@pytest.mark.parametrize(
    ("answer", "stays"),
    [
        (refusal(400), True),
        (refusal(403), True),
        # One that does not say whose it is.
        (reply({"individual": {"surname": "Kamau"}}), True),
        (reply({"borrowerId": "B-99"}), False),
    ],
)
def test_one_that_cannot_be_read_by_id_does_not_end_the_walk(
    service: PeopleService, answer: Behaviour, stays: bool
) -> None:
    walked()
    service.hidden = {"B-2"}
    service.server.on("/borrowers/B-2", answer)
    index = walked()
    assert index.state == State.IDLE and index.complete_at is not None
    assert index.cards.filter(borrower_id="B-2").exists() == stays


def test_pages_that_repeat_and_reorder_count_everybody_once(service: PeopleService) -> None:
    service.before = lambda place: service.people.reverse() if place == 2 else None
    index = walked()
    assert index.seen == BorrowerCard.objects.count()
    service.before = lambda place: None
    assert walked().seen == 5
    assert found("kamau") == ALL


def test_a_change_in_the_middle_is_kept(service: PeopleService) -> None:
    walked()

    def change(place: int) -> None:
        if place == 2:
            live.keep(APP, make_borrower("B-0", surname="Njoroge"))
            live.keep(APP, make_borrower("B-9", surname="Achieng"))

    service.before = change
    walked()
    assert found("njoroge") == {"B-0"} and found("achieng") == {"B-9"}


def test_who_is_erased_in_the_middle_is_not_brought_back_by_a_page_in_hand(
    service: PeopleService,
) -> None:
    walked()

    def erase(place: int) -> None:
        if place == 4:
            service.people[:] = [one for one in service.people if one["borrowerId"] != "B-0"]
            cards.erase_borrower(APP, "B-0")

    service.before = erase
    walked()
    assert found("kamau") == ALL - {"B-0"}
    assert not BorrowerCard.objects.filter(content="").exists()


def test_a_worker_killed_in_the_middle_loses_at_most_a_page(
    service: PeopleService, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(walks, "SLICE", 0.0)
    index = tasks.start(APP)
    assert index is not None
    BorrowerWalk.run_slice(index.pk)
    DBTaskResult.objects.all().delete()
    settings.PEOPLE_EVERY = timedelta(hours=6)
    BorrowerIndex.objects.update(heartbeat_at=timezone.now() - duties.LOST)
    Worker(once=True).run()
    assert found("kamau") == ALL
    assert service.pages == 3


def test_a_slice_that_another_worker_runs_adds_nothing(
    service: PeopleService, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tasks.start(APP)
    assert index is not None
    service.before = lambda place: (
        BorrowerIndex.objects.update(version=99) and None if place == 2 else None
    )
    assert BorrowerWalk.run_slice(index.pk) is None
    assert BorrowerCard.objects.count() == 2


def test_a_service_that_fails_is_tried_again_and_then_the_walk_has_failed(
    service: PeopleService,
) -> None:
    service.server.on(LIST, refusal(503, "Down for maintenance"))
    index = tasks.start(APP)
    assert index is not None
    pauses = []
    while (pause := BorrowerWalk.run_slice(index.pk)) is not None:
        pauses.append(pause.total_seconds())
    index.refresh_from_db()
    assert pauses == [5, 15, 45, 120]
    assert (index.state, index.complete_at) == (State.FAILED, None)
    assert index.why and "Kamau" not in index.why


def test_a_walk_that_fails_leaves_the_index_as_it_was(service: PeopleService) -> None:
    walked()
    del service.people[3:]
    service.server.on(LIST, refusal(403, "Forbidden"))
    assert walked().state == State.FAILED
    assert found("kamau") == ALL


def test_a_service_that_forgets_its_place_is_read_from_the_start(
    service: PeopleService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was seen before its place was forgotten makes no page empty."""
    monkeypatch.setattr(walks, "EMPTY_PAGES", 1)
    service.people.insert(0, "none")
    service.tokens_hold = False

    def remember(place: int) -> None:
        service.tokens_hold = service.pages > 2

    service.before = remember
    index = walked()
    assert (index.state, index.seen, index.unreadable) == (State.IDLE, 5, 1)


def test_a_service_that_never_knows_its_place_is_not_asked_for_ever(
    service: PeopleService,
) -> None:
    service.tokens_hold = False
    index = walked()
    assert (index.state, service.pages) == (State.FAILED, 4)
    assert "twice" in index.why
    assert tasks.start(APP)
    service.tokens_hold = True
    BorrowerWalk.run_slice(index.pk)
    index.refresh_from_db()
    assert (index.state, index.seen) == (State.IDLE, 5)


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_a_list_without_an_end_is_given_up(
    service: PeopleService, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Each page has the same borrowers and a token of its own."""
    monkeypatch.setattr(walks, "SLICE", seconds)
    monkeypatch.setattr(walks, "EMPTY_PAGES", 5)
    tokens = iter(range(1_000))

    def answer(wire: Wire) -> bool:
        body = {"borrowers": service.people[:2], "nextPageToken": str(next(tokens))}
        return reply(body)(wire)

    service.server.on(LIST, answer)
    assert walked().state == State.FAILED
    assert next(tokens) < 10


def test_a_new_key_builds_the_index_anew_while_the_old_one_answers(
    service: PeopleService, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = walked()
    settings.PEOPLE_KEYS = (Fernet.generate_key().decode(), *settings.PEOPLE_KEYS)
    monkeypatch.setattr(walks, "SLICE", 0.0)
    new = tasks.start(APP)
    assert new is not None and new.pk != old.pk
    BorrowerWalk.run_slice(new.pk)
    assert found("kamau") == ALL
    live.keep(APP, make_borrower("B-0", surname="Njoroge"))
    assert found("njoroge") == {"B-0"}
    while BorrowerWalk.run_slice(new.pk) is not None:
        pass
    assert list(BorrowerIndex.objects.all()) == [new]
    assert not CardToken.objects.exclude(card__index=new).exists()
    assert found("kamau") == ALL - {"B-0"} and found("njoroge") == {"B-0"}


def test_words_that_nobody_bears_any_more_are_forgotten(service: PeopleService) -> None:
    service.people.append(borrower(7, "Zanzibari"))
    walked()
    keys = WordKey.objects.count()
    service.people.pop()
    walked()
    assert 0 < WordKey.objects.count() < keys


def test_items_that_are_no_borrowers_are_counted(service: PeopleService) -> None:
    service.people += ["none", {"individual": None}, {"borrowerId": 7}]
    index = walked()
    assert (index.seen, index.unreadable) == (5, 3)


def test_many_search_while_it_walks(service: PeopleService) -> None:
    walked()
    index, faults = tasks.start(APP), []

    def search() -> None:
        try:
            for _ in range(5):
                assert found("ann kamau") == ALL
        except BaseException as error:
            faults.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=search) for _ in range(10)]
    for thread in threads:
        thread.start()
    while index and BorrowerWalk.run_slice(index.pk) is not None:
        pass
    for thread in threads:
        thread.join()
    assert faults == []


def test_an_app_that_is_not_configured_any_more_ends_it(
    service: PeopleService, settings: Any
) -> None:
    index = tasks.start(APP)
    settings.LENDING_APPS = ()
    assert index is not None and BorrowerWalk.run_slice(index.pk) is None
    index.refresh_from_db()
    assert index.state == State.FAILED


def test_keys_name_themselves_without_telling(service: PeopleService) -> None:
    index = walked()
    assert index.key_name not in product.PEOPLE_KEYS[0]


def made(number: int, surname: str = "Kamau") -> dict[str, Any]:
    """A borrower who was created on this day of a month."""
    return borrower(number, surname, createdAt=f"2026-03-{number + 1:02}T08:00:00.000Z")


class TestBetweenWalks:
    @pytest.fixture
    def newest(self, service: PeopleService, settings: Any) -> PeopleService:
        """The service lists the newest first, which a walk has seen."""
        settings.PEOPLE_EVERY = timedelta(hours=6)
        service.people = [made(number) for number in reversed(range(5))]
        assert walked().is_newest_first
        return service

    def work(self, service: PeopleService) -> int:
        """Let a worker do what is due five minutes later; how many pages it read."""
        BorrowerIndex.objects.update(heartbeat_at=timezone.now() - walks.TOP_UP_EVERY)
        before = service.pages
        Worker(once=True).run()
        return service.pages - before

    def test_the_newest_are_read_until_a_page_holds_nobody_new(self, newest: PeopleService) -> None:
        index = BorrowerIndex.objects.get()
        newest.people[:0] = [made(number, "Achieng") for number in (7, 6, 5)]
        assert self.work(newest) == 3
        assert found("achieng") == {"B-5", "B-6", "B-7"}
        assert self.work(newest) == 1
        Worker(once=True).run()
        now = BorrowerIndex.objects.get()
        assert (now.complete_at, now.known, now.seen) == (index.complete_at, 5, 5)
        assert (now.state, now.page_token) == (State.IDLE, "")

    @pytest.mark.parametrize("order", [range(5), (4, 3, 1, 2, 0), (4, 3, 2, 0, 1), (1, 1, 1, 1, 1)])
    def test_nothing_is_read_where_the_list_is_in_another_order(
        self, newest: PeopleService, order: Any
    ) -> None:
        newest.people = [
            borrower(at) | {"createdAt": made(day)["createdAt"]} for at, day in enumerate(order)
        ]
        assert not walked().is_newest_first
        assert self.work(newest) == 0

    def test_nothing_is_read_where_one_does_not_say_when(self, newest: PeopleService) -> None:
        newest.people[2] = borrower(2)
        assert not walked().is_newest_first

    def test_nothing_is_read_without_a_clock(self, newest: PeopleService, settings: Any) -> None:
        settings.PEOPLE_EVERY = timedelta(0)
        assert self.work(newest) == 0

    def test_a_fault_is_left_to_the_next_one(self, newest: PeopleService) -> None:
        newest.people.insert(0, made(5, "Achieng"))
        newest.server.once(LIST, *[refusal(503, "Down")] * 3)
        self.work(newest)
        index = BorrowerIndex.objects.get()
        assert (index.state, index.why, index.page_token) == (State.IDLE, "", "")
        self.work(newest)
        assert found("achieng") == {"B-5"}

    def test_a_slice_that_ends_goes_on_where_it_was(
        self, newest: PeopleService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(walks, "SLICE", 0.0)
        newest.people[:0] = [made(number, "Achieng") for number in (7, 6, 5)]
        assert self.work(newest) == 3
        assert found("achieng") == {"B-5", "B-6", "B-7"}

    def test_a_walk_that_began_meanwhile_is_left_alone(self, newest: PeopleService) -> None:
        index = BorrowerIndex.objects.get()
        newest.people.insert(0, made(5, "Achieng"))
        newest.before = lambda place: begun.append(tasks.start(APP)) if not begun else None
        begun: list[object] = []
        assert BorrowerWalk.run_top_up(index.pk) is None
        assert begun[0] == index and found("achieng") == set()

    def test_who_is_erased_meanwhile_is_not_brought_back(self, newest: PeopleService) -> None:
        index, read_at = BorrowerIndex.objects.get(), timezone.now()
        del newest.people[0]
        cards.erase_borrower(APP, "B-4")
        page = [make_borrower("B-4", surname="Kamau")]
        with transaction.atomic():
            cards.put_borrowers(index, page, read_at, index.walk)
        assert found("kamau") == ALL - {"B-4"}
        walked()
        assert not BorrowerCard.objects.filter(borrower_id="B-4").exists()
