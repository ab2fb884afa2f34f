"""Who is found by what is typed, in which order, and who never is."""

import pytest
from django.db import connection

from lendingadmin.people.index import find
from lendingadmin.people.index.models import BorrowerCard, BorrowerIndex, CardToken
from lendingadmin.people.index.words import hash_phone
from lendingadmin.web.masking import WHOLE_RECORD
from tests import plans

from .conftest import Put, PutMany, make_borrower

KAMAU = {
    "surname": "Kamau",
    "othernames": "Wanjikũ Ann",
    "phoneNumber": "+254700186215",
    "governmentIdNo": "KE-2931 7742",
    "emailAddress": "Ann.Kamau@example.com",
}


def ids(index: BorrowerIndex, text: str) -> list[str]:
    return [person.borrower_id for person in find.find_people(index, text, WHOLE_RECORD).people]


@pytest.fixture
def kamau(put: Put) -> str:
    put("b-2", surname="Otieno", othernames="Kamande", phoneNumber="+254711000222")
    put("b-3", surname="Ouma", othernames="", phoneNumber="0722186299")
    return put("KE-100002", borrower_no=4711, uid="UID-7f3", **KAMAU)


@pytest.mark.parametrize(
    "text",
    [
        "kamau", "KAMAU", "Kamau Wanjiku", "wanjiku kamau", "wanj kam", "ann kamau",
        "A Kamau", "kamau a", "W. Kamau", "Kamua", "kamaau", "kmau", "Wanjku", "kamau wanjiku ann",
        "0700 186 215", "+254 700 186215", "254700186215", "00254700186215", "700186215", "186215",
        "6215", "25470****215", "254700***215", hash_phone("254700186215"), "kamau 5", "kamau 6215",
        "KE-2931 7742", "ke29317742", "4711", "ke-100002", "KE-100002", "uid-7F3",
        "borrower:ke-100002", "BORROWER:KE-100002",
        "ann.kamau@EXAMPLE.com", "kamau 0700186215", "kamau 254700186215",
    ],
)  # fmt: skip
def test_the_right_one_comes_first(text: str, kamau: str, index: BorrowerIndex) -> None:
    assert ids(index, text)[:1] == [kamau]


def test_the_beginning_of_a_name_finds_all_who_have_it(kamau: str, index: BorrowerIndex) -> None:
    assert set(ids(index, "kam")) == {kamau, "b-2"}


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "🙂", "ka", "k", "kamau otieno", "kxmxu", "kamau 7", "0700 186 216",
        "25471****215",
        "%", "*", "_", "'; DROP TABLE", "\x00", "a" * 10_000, "1", "11", "215",
        hash_phone("254700186216"), "nobody@example.com", "ann.kamau@example.co",
    ],
)  # fmt: skip
def test_nobody_is_found(text: str, kamau: str, index: BorrowerIndex) -> None:
    assert kamau not in ids(index, text)


def test_a_whole_name_comes_before_the_beginning_of_one_and_that_before_a_mistyped_one(
    put: Put, index: BorrowerIndex
) -> None:
    for key, surname in (("c", "Kamu"), ("b", "Kamauna"), ("a", "Kamau")):
        put(key, surname=surname)
    assert ids(index, "kamau") == ["a", "b", "c"]


def test_namesakes_are_told_apart_by_a_digit(put: Put, index: BorrowerIndex) -> None:
    for ending in ("1", "2", "3", "4"):
        phone = f"+25470000000{ending}"
        put(f"n-{ending}", surname="Kamau", othernames="Ann", phoneNumber=phone, borrower_no=1003)
    assert len(ids(index, "ann kamau")) == 4
    assert ids(index, "ann kamau 3") == ["n-3"]


def test_a_zero_among_the_last_digits_of_a_phone_is_one_of_them(
    put: Put, index: BorrowerIndex
) -> None:
    put("zero", phoneNumber="0722086299")
    put("one", phoneNumber="0722186299")
    assert ids(index, "086299") == ["zero"]


def test_people_who_share_a_phone_are_all_found(put: Put, index: BorrowerIndex) -> None:
    for key in ("a", "b"):
        put(key, surname="Kamau", phoneNumber="0700186215")
    assert ids(index, "0700186215") == ["a", "b"]


def test_a_company_is_found_by_its_name(put: Put, index: BorrowerIndex) -> None:
    put("co", company={"tradingName": "Mama Mboga & Sons Ltd."})
    assert ids(index, "mboga sons") == ["co"]


def test_a_token_that_two_share_shows_no_stranger(
    kamau: str, put: Put, index: BorrowerIndex
) -> None:
    """The database is wrong about him: his card is not."""
    put("stranger", surname="Zulu", phoneNumber="+255999999999")
    stranger = BorrowerCard.objects.get(borrower_id="stranger")
    for token in CardToken.objects.filter(card__borrower_id=kamau):
        CardToken.objects.create(card=stranger, token=token.token)
    for text in ("kamau", "0700186215", "ke-100002", "25470****215"):
        assert ids(index, text) == [kamau]


def test_borrowers_without_name_phone_or_id_are_found_by_what_they_have(
    put: Put, index: BorrowerIndex
) -> None:
    put("bare")
    put("odd", surname=7, phoneNumber="none", governmentIdNo=None)
    put("long", surname="x" * 60 + " " + "y" * 60)
    assert ids(index, "bare") == ["bare"]
    assert ids(index, "odd") == ["odd"]
    assert ids(index, "x" * 60) == ["long"]


def test_more_than_are_shown_says_so(put: Put, index: BorrowerIndex) -> None:
    for number in range(find.SHOWN + 1):
        put(f"n-{number}", surname="Kamau")
    found = find.find_people(index, "kamau", WHOLE_RECORD)
    assert (len(found.people), found.may_be_more) == (find.SHOWN, True)


@pytest.fixture
def crowd(put_many: PutMany) -> None:
    """More whose names begin alike than are opened for one search."""
    put_many(
        {"surname": f"Kamau{chr(97 + at % 26)}", "othernames": "Ann", "phoneNumber": f"07{at:08}"}
        for at in range(2 * find._OPENED)
    )


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("text", ["kamau", "kamau ann", "ann kamau", "kamau a"])
def test_a_crowd_that_begins_alike_hides_nobody_who_fits_exactly(
    text: str, put: Put, index: BorrowerIndex
) -> None:
    put("the-one", surname="Kamau", othernames="Ann")
    assert ids(index, text)[0] == "the-one"


def test_a_crowd_that_begins_alike_does_not_hide_who_fits_what_is_typed_so_far(
    put: Put, put_many: PutMany, index: BorrowerIndex
) -> None:
    put_many({"surname": "Kamau", "othernames": "Annette"} for _ in range(2 * find._OPENED))
    put("the-one", surname="Kamau", othernames="Ann")
    assert ids(index, "ann kam")[0] == "the-one"


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("text", ["kam 186215", "kamau 6215", "ann kam 254700186215"])
def test_digits_of_a_phone_find_one_of_a_crowd(text: str, put: Put, index: BorrowerIndex) -> None:
    put("the-one", surname="Kamaux", othernames="Ann", phoneNumber="0700186215")
    assert ids(index, text) == ["the-one"]


@pytest.mark.parametrize("text", ["kamau z", "z kamau", "kamau zi"])
def test_an_initial_finds_one_of_a_crowd_of_the_same_surname(
    text: str, put: Put, put_many: PutMany, index: BorrowerIndex
) -> None:
    put_many({"surname": "Kamau", "othernames": "Ann"} for _ in range(2 * find._OPENED))
    put("the-one", surname="Kamau", othernames="Zipporah")
    assert ids(index, text) == ["the-one"]


def test_of_a_common_initial_further_cards_are_opened(
    put: Put, put_many: PutMany, index: BorrowerIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find, "MANY", 10)
    put_many({"surname": "Kamau", "othernames": "Ann"} for _ in range(find._OPENED + 50))
    with_z = [put(f"z-{at}", surname="Kamau", othernames="Zipporah") for at in range(12)]
    put("other", surname="Otieno", othernames="Zipporah")
    found = find.find_people(index, "z kamau", WHOLE_RECORD)
    assert {person.borrower_id for person in found.people} == set(with_z)
    assert found.may_be_more


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("text", ["kam", "ann", "ann kam", "kam an"])
def test_a_crowd_is_cut_and_says_so(text: str, index: BorrowerIndex) -> None:
    found = find.find_people(index, text, WHOLE_RECORD)
    assert (len(found.people), found.may_be_more) == (find.SHOWN, True)


@pytest.mark.parametrize("text", ["+254 722 186299", "0722186299", "ouma 254722186299"])
def test_a_phone_that_was_entered_without_its_country_is_found_with_it(
    text: str, kamau: str, index: BorrowerIndex
) -> None:
    assert ids(index, text) == ["b-3"]


@pytest.mark.usefixtures("crowd")
def test_a_search_that_did_not_open_all_says_so_though_few_fit(index: BorrowerIndex) -> None:
    found = find.find_people(index, "ann 77", WHOLE_RECORD)
    assert len(found.people) < find.SHOWN and found.may_be_more


def test_who_has_a_phone_of_few_digits_is_found_by_it(put: Put, index: BorrowerIndex) -> None:
    put("short", phoneNumber="4071")
    put("longer", phoneNumber="1234567")
    assert ids(index, "4071") == ["short"]
    assert ids(index, "1234567") == ids(index, "234567") == ["longer"]
    assert ids(index, "9234567") == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plans are SQLite's")
@pytest.mark.parametrize(
    "text",
    ["kamau", "kam", "kamau ann", "kam an", "kmaau ann", "kamau a", "kamau 6215", "0700 186 215",
     "25470****215", "ke-1", "ann@example.com"],
)  # fmt: skip
@pytest.mark.usefixtures("crowd")
def test_no_search_reads_a_table_whole(text: str, index: BorrowerIndex) -> None:
    with plans.watched_queries() as queries:
        find.find_people(index, text, WHOLE_RECORD)
    assert queries and plans.scans_of(queries) == []


@pytest.mark.parametrize(
    ("person", "found"),
    [
        ({"phoneNumber": "0700 186 215"}, [("KE-100002", ("phone number",))]),
        ({"phoneNumber": "+254700186215"}, [("KE-100002", ("phone number",))]),
        ({"phoneNumber": "+254722186299"}, [("b-3", ("phone number",))]),
        ({"phoneNumber": "186215"}, []),
        ({"phoneNumber": "+44700186215"}, []),
        ({"governmentIdNo": "ke 29317742"}, [("KE-100002", ("government id",))]),
        ({"governmentIdNo": "29317742"}, []),
        ({"surname": "ANN", "othernames": "Kamau Wanjiku"}, [("KE-100002", ("name",))]),
        ({"surname": "Kamau", "othernames": "Ann"}, []),
        ({"surname": "Kamau", "othernames": "Wanjiku Ann Jane"}, []),
        ({"surname": "4711"}, []),
        ({}, []),
        (
            {"phoneNumber": "0722186299", "governmentIdNo": "KE29317742", "surname": "Kamau"},
            [("KE-100002", ("government id",)), ("b-3", ("phone number",))],
        ),
    ],
)
def test_who_has_the_same_number_or_name_is_alike(
    person: dict[str, str],
    found: list[tuple[str, tuple[str, ...]]],
    kamau: str,
    index: BorrowerIndex,
) -> None:
    alike = find.find_alike(index, make_borrower("new", **person))
    assert [(one.person.borrower_id, one.same) for one in alike] == found


def test_a_company_has_a_phone_too(put: Put, index: BorrowerIndex) -> None:
    put("co", company={"name": "Mama Mboga", "phoneNumber": "+254733000111"})
    new = make_borrower("new", company={"tradingName": "mama mboga", "phone": "0733000111"})
    assert [one.same for one in find.find_alike(index, new)] == [("phone number", "name")]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plans are SQLite's")
@pytest.mark.usefixtures("crowd")
def test_looking_for_who_is_alike_reads_no_table_whole(index: BorrowerIndex) -> None:
    with plans.watched_queries() as queries:
        find.find_alike(index, make_borrower("new", **KAMAU))
    assert queries and plans.scans_of(queries) == []


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Ɗanladi Ƙofa", "danladi kofa"),
        ("Ɓagoɗɗo", "bagoddo"),
        ("Kwabɛna Mɛnsɔ", "kwabena menso"),
        ("Ŋgɔŋ", "ngong"),
        ("Ng\u02bbang\u02bba Wang\u02bbombe", "nganga wangombe"),
        ("N\u2032Guessan", "nguessan"),
        ("N\ua78cDiaye", "ndiaye"),
        ("Ng\u02bdang\u02caa", "nganga"),
        ("Tɩkpɩ", "tikpi"),
        ("فاطمة", "فاطمه"),
        ("مصطفى", "مصطفي"),
        ("محم\u0640\u0640د", "محمد"),
        ("أحمد", "احمد"),
        ("ٱحمد", "احمد"),
        ("مُحَمَّد", "محمد"),
        ("على", "علي"),
        ("De\u0301sire\u0301e Kone\u0301", "Désirée Koné"),
        ("Adéṣọlá", "adesola"),
    ],
)
def test_a_name_is_found_in_each_spelling(
    put: Put, index: BorrowerIndex, name: str, typed: str
) -> None:
    put("one", surname=name)
    assert ids(index, typed) == ids(index, name) == ["one"]


@pytest.mark.parametrize(
    ("phone", "found", "not_found"),
    [
        ("+229 97 12 34 56", ["01 97 12 34 56", "2290197123456", "97123456"], ["0196123456"]),
        ("+229 01 97 12 34 56", ["22997123456", "0197123456"], ["22996123456"]),
        ("+225 07 12 34 56", ["0707123456", "+225 07 07 12 34 56"], ["0507123456"]),
        ("+254712345111", ["07******111", "25471****111", "*****345111"], ["07******112"]),
        ("+254 (0)712 345 678", ["0712345678", "254712345678"], ["0712345679"]),
        ("+254732345111", ["0732****111"], ["25471****111", "0712****111"]),
        # A number with as many digits of another country is as it is.
        ("+254 97 12 34 56", ["25497123456"], ["0197123456"]),
    ],
)
def test_a_phone_is_found_renumbered_and_masked(
    put: Put, index: BorrowerIndex, phone: str, found: list[str], not_found: list[str]
) -> None:
    put("one", surname="Njoroge", phoneNumber=phone)
    assert {text: ids(index, text) for text in found} == {key: ["one"] for key in found}
    assert {text: ids(index, text) for text in not_found} == {key: [] for key in not_found}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("25474****881 NJOROGE", ["one"]),
        ("25474****881 - MARY NJOROGE", ["one"]),
        ("njoroge 07******881", ["one"]),
        ("njoroge", ["one", "two"]),
        ("25474****881 OTIENO", []),
        ("25474****882 NJOROGE", []),
    ],
)
def test_a_name_beside_a_masked_phone_tells_namesakes_apart(
    put: Put, index: BorrowerIndex, text: str, found: list[str]
) -> None:
    put("one", surname="Njoroge", othernames="Mary", phoneNumber="+254741000881")
    put("two", surname="Njoroge", othernames="Mary", phoneNumber="+254752000999")
    put("three", surname="Kamau", othernames="Ann", phoneNumber="+254743000881")
    assert sorted(ids(index, text)) == found
