"""What is typed, and what a card holds, in the form in which they are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.people.index import words
from lendingadmin.people.index.words import Query, read_query


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Wanjikũ KAMAU", "wanjiku kamau"),
        ("Adébáyọ̀", "adebayo"),
        ("N’Guessan", "nguessan"),
        ("O'Brien-Smith", "obrien smith"),
        ("Straße", "strasse"),
        ("Łukasz", "lukasz"),
        ("عبد العزيز", "عبد العزيز"),
        ("\u202eevil\u202c", "evil"),
        ("ＡＢＣ１２", "abc12"),
        ("  \t\n ", ""),
        ("🙂", ""),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert words.fold(text) == folded


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("0712 345 678", "712345678"),
        ("+254 712 345-678", "254712345678"),
        ("00254712345678", "254712345678"),
        ("٠٧١٢٣٤٥٦٧٨", "712345678"),
        ("12", ""),
        ("none", ""),
        ("1" * 40, ""),
        # The last digits of a number: a zero is one of them.
        ("043 498", "043498"),
        ("0498", "0498"),
    ],
)
def test_read_phone(text: str, digits: str) -> None:
    assert words.read_phone(text) == digits


@pytest.mark.parametrize(
    ("text", "dialled"),
    [
        ("+254 712 345-678", "+254712345678"),
        # A number of the country keeps its zero: there is no telling which country that is.
        ("0712 345 678", "0712345678"),
        ("javascript:alert(1)", ""),
        ("none", ""),
        ("12", ""),
    ],
)
def test_make_dialled(text: str, dialled: str) -> None:
    assert words.make_dialled(text) == dialled


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", Query()),
        ("   ", Query()),
        ("🙂🙂", Query()),
        ("\x00\x07", Query()),
        ("x" * 10_000, Query()),
        ("%_*", Query()),
        ("Kamau Wanjiku", Query(names=("kamau", "wanjiku"))),
        ("kamau 3", Query(names=("kamau",), digits=("3",), number="kamau3")),
        ("0712 345 678", Query(phone="712345678", number="0712345678")),
        ("25471****111", Query(masked=("25471", "111"))),
        ("+254 712 345678", Query(phone="254712345678", number="254712345678")),
        ("A.Kamau@Example.com", Query(email="a.kamau@example.com")),
        ("ke-100002", Query(names=("ke",), digits=("100002",), number="ke100002")),
        ("ab" * 32, Query(hashed="ab" * 32)),
    ],
)
def test_read_query(text: str, query: Query) -> None:
    assert read_query(text) == query


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("kamau", "kamau", True),
        ("kamau", "kamu", True),
        ("kamau", "kamaau", True),
        ("kamau", "kamao", True),
        ("kamau", "kmaau", True),
        ("kamau", "kama", True),
        ("kamau", "kaamauu", False),
        ("kamau", "komao", False),
        ("abcd", "badc", False),
    ],
)
def test_one_edit(one: str, other: str, *, same: bool) -> None:
    assert words.is_one_edit(one, other) is same
    assert words.is_one_edit(other, one) is same


_WORD = st.text("abcdefghij", min_size=4, max_size=12)


@given(_WORD, st.integers(0, 11), st.sampled_from("abcdefghij"), st.sampled_from("acds"))
def test_a_word_of_one_edit_shares_a_deletion(word: str, at: int, letter: str, kind: str) -> None:
    at %= len(word)
    edited = {
        "a": word[:at] + letter + word[at:],
        "c": word[:at] + letter + word[at + 1 :],
        "d": word[:at] + word[at + 1 :],
        "s": word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
    }[kind]
    assert words.is_one_edit(word, edited)
    if len(edited) >= words.SHORTEST_MISTYPED:
        assert words.list_deletions(word) & words.list_deletions(edited)


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    query = read_query(text)
    assert len(query.names) <= words.MOST_WORDS
    assert all(word and not word.isspace() for word in query.names)
