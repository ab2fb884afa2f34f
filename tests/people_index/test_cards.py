"""What the index keeps, and what becomes of it when people change, are erased or come late."""

from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.db import OperationalError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from lendingadmin.lending.values import Malformed
from lendingadmin.people.index import cards, find, live
from lendingadmin.people.index.models import BorrowerCard, BorrowerIndex, CardToken, WordKey
from lendingadmin.people.index.tokens import get_tokenizer

from .conftest import APP, Put, PutMany, make_borrower
from .test_find import KAMAU, ids


def test_nothing_readable_stands_in_the_database(put: Put, index: BorrowerIndex) -> None:
    put("b-1", borrower_no=4711, **KAMAU)
    dump = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            if table.startswith("people_index_"):
                cursor.execute(f"SELECT * FROM {table}")
                dump += [str(value).casefold() for row in cursor.fetchall() for value in row]
    text = "\n".join(dump)
    assert "b-1" in text
    for canary in ("kamau", "wanjik", "700186215", "29317742", "7742", "example.com", "4711"):
        assert canary not in text


@pytest.mark.parametrize("model", [CardToken, WordKey])
def test_sqlite_keeps_a_pair_once(index: BorrowerIndex, model: type[Model]) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has no other way to keep a table")
    with connection.cursor() as cursor, pytest.raises(OperationalError, match="rowid"):
        cursor.execute(f"SELECT rowid FROM {model._meta.db_table}")


def test_who_changes_name_and_phone_is_found_by_the_new_ones_only(
    put: Put, index: BorrowerIndex
) -> None:
    put("b-1", **KAMAU)
    put("b-1", surname="Njoroge", othernames="Ann", phoneNumber="0733000111")
    assert ids(index, "njoroge") == ids(index, "0733 000 111") == ["b-1"]
    assert ids(index, "kamau") == ids(index, "0700186215") == []
    assert BorrowerCard.objects.count() == 1


def test_what_was_read_before_a_change_does_not_undo_it(put: Put, index: BorrowerIndex) -> None:
    earlier = timezone.now() - timedelta(minutes=1)
    put("b-1", surname="Njoroge")
    put("b-1", read_at=earlier, **KAMAU)
    assert ids(index, "njoroge") == ["b-1"] and ids(index, "kamau") == []


def test_who_is_erased_is_not_found_in_the_same_second_and_leaves_nothing(
    put: Put, index: BorrowerIndex
) -> None:
    put("b-1", **KAMAU)
    assert cards.erase_borrower(APP, "b-1") is True
    assert ids(index, "kamau") == ids(index, "b-1") == []
    assert not CardToken.objects.exists() and not BorrowerCard.objects.exists()
    assert cards.erase_borrower(APP, "b-1") is False


def test_a_page_that_was_read_before_does_not_bring_back_who_was_erased(
    put: Put, index: BorrowerIndex
) -> None:
    earlier = timezone.now() - timedelta(minutes=1)
    put("b-1", **KAMAU)
    index.state = BorrowerIndex.State.RUNNING
    index.save()
    cards.erase_borrower(APP, "b-1")
    put("b-1", read_at=earlier, **KAMAU)
    assert ids(index, "kamau") == []
    live.keep(APP, make_borrower("b-1", **KAMAU))
    assert ids(index, "kamau") == ["b-1"]


def test_a_card_whose_key_is_gone_is_not_shown(
    put: Put, index: BorrowerIndex, settings: object
) -> None:
    put("b-1", **KAMAU)
    settings.DATA_KEYS = (Fernet.generate_key().decode(),)  # type: ignore[attr-defined]
    assert ids(index, "kamau") == []


def test_an_index_whose_key_is_gone_answers_nothing(put: Put, index: BorrowerIndex) -> None:
    put("b-1", **KAMAU)
    BorrowerIndex.objects.update(key_name="another")
    assert find.find_index(APP) is None


@pytest.mark.parametrize(
    ("person", "by_name"),
    [
        ({"surname": "Kam\ud800au\x00", "othernames": "\udfff"}, True),
        ({"surname": ["Kamau"], "othernames": {"a": 1}, "phoneNumber": 700186215}, False),
        ({"surname": "Kamau", "governmentIdNo": "\ud800", "phoneNumber": ["x"]}, True),
        ({"surname": "Kamau " * 100_000, "emailAddress": 7}, True),
    ],
)
def test_odd_borrowers_are_kept_as_far_as_they_go(
    person: dict[str, object], *, by_name: bool, put: Put, index: BorrowerIndex
) -> None:
    put("b-1", **person)
    assert ids(index, "b-1") == ["b-1"]
    assert ids(index, "kamau") == ["b-1"] * by_name


def test_items_without_an_id_that_can_be_kept_are_counted(index: BorrowerIndex) -> None:
    items = [make_borrower(""), make_borrower("x" * 300), make_borrower("\ud800"), Malformed(7)]
    with transaction.atomic():
        assert cards.put_borrowers(index, items, timezone.now()) == (0, 4)


def list_stored(borrower_id: str) -> set[int]:
    return set(
        CardToken.objects.filter(card__borrower_id=borrower_id).values_list("token", flat=True)
    )


def list_own(index: BorrowerIndex, borrower_id: str) -> set[int]:
    """The tokens that follow from what the card holds."""
    tokenizer = get_tokenizer(APP, index.key_name)
    assert tokenizer
    return tokenizer.list_card_tokens(
        BorrowerCard.objects.get(borrower_id=borrower_id).fields, borrower_id
    )


def test_a_card_has_the_tokens_of_what_it_holds_and_no_others(
    put: Put, index: BorrowerIndex
) -> None:
    put("b-1", borrower_no=4711, **KAMAU)
    assert list_stored("b-1") == list_own(index, "b-1")
    put("b-1", borrower_no=4711, **{**KAMAU, "surname": "Njoroge", "phoneNumber": "0733"})
    assert list_stored("b-1") == list_own(index, "b-1")


def test_a_card_whose_key_is_gone_is_written_with_its_tokens_when_it_is_read(
    put: Put, index: BorrowerIndex, settings: object
) -> None:
    put("b-1", **KAMAU)
    settings.DATA_KEYS = (Fernet.generate_key().decode(),)  # type: ignore[attr-defined]
    put("b-1", surname="Njoroge")
    assert ids(index, "njoroge") == ["b-1"] and list_stored("b-1") == list_own(index, "b-1")


def test_who_is_erased_leaves_no_token_though_the_key_is_gone(
    put: Put, index: BorrowerIndex, settings: object
) -> None:
    put("b-1", **KAMAU)
    settings.DATA_KEYS = (Fernet.generate_key().decode(),)  # type: ignore[attr-defined]
    cards.erase_borrower(APP, "b-1")
    assert not CardToken.objects.exists()


def test_a_walk_counts_each_borrower_once(index: BorrowerIndex) -> None:
    def count(*keys: str, walk: int | None) -> tuple[int, int]:
        borrowers = [make_borrower(key, surname=key) for key in keys]
        with transaction.atomic():
            return cards.put_borrowers(index, borrowers, timezone.now(), walk)

    assert count("a", "b", "b", "", walk=1) == (2, 1)
    assert count("b", "c", walk=1) == (1, 0)
    count("d", walk=None)
    assert count("a", "b", "d", walk=2) == (3, 0)


def test_a_word_that_is_left_or_misspelled_by_another_gets_its_own_keys(
    put: Put, index: BorrowerIndex
) -> None:
    """The keys of `kamaus` are those of a misspelled `kamau` too."""
    put("b-1", surname="Kamaus")
    put("b-2", surname="Kamau")
    assert ids(index, "kmau")[:1] == ["b-2"] and ids(index, "kamua") == ["b-2"]
    put("b-2", surname="Njoroge")
    before = WordKey.objects.count()
    cards.delete_unused_words()
    assert 0 < WordKey.objects.count() < before
    assert ids(index, "kamas") == ["b-1"]


@pytest.mark.parametrize("is_key_known", [True, False])
def test_an_index_that_is_deleted_leaves_nothing_and_the_other_whole(
    put: Put, put_many: PutMany, index: BorrowerIndex, *, is_key_known: bool
) -> None:
    put_many({"surname": "Kamau"} for _ in range(1_200))
    other = BorrowerIndex.objects.create(app_id="ghana", key_name=index.key_name)
    with transaction.atomic():
        cards.put_borrowers(other, [make_borrower("gh-1", surname="Kamau")], timezone.now())
    if not is_key_known:
        index.key_name = "another"
        index.save()
    cards.delete_index(index)
    assert BorrowerIndex.objects.get() == other
    assert BorrowerCard.objects.get().borrower_id == "gh-1"
    assert list_stored("gh-1") == {row.token for row in CardToken.objects.all()}
    assert ids(other, "kamau") == ["gh-1"]
