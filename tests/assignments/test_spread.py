"""A rule's spread over officers: stable, in equal shares, and nobody is left out."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.desk.assignments.rules import choose_officer

PEOPLE = st.lists(st.integers(1, 10**9), min_size=1, max_size=12, unique=True)
IDS = st.text(max_size=40)


@given(borrower_id=IDS, people=PEOPLE, rotated=st.integers(0, 11))
def test_it_hangs_on_who_there_is_and_on_nothing_else(
    borrower_id: str, people: list[int], rotated: int
) -> None:
    chosen = choose_officer(borrower_id, people)
    assert chosen in people
    at = rotated % len(people)
    assert choose_officer(borrower_id, [*people[at:], *people[:at]]) == chosen


@given(borrower_id=IDS, people=PEOPLE, other=st.integers(1, 10**9))
def test_only_who_gains_or_loses_an_officer_moves(
    borrower_id: str, people: list[int], other: int
) -> None:
    before, after = (
        choose_officer(borrower_id, people),
        choose_officer(borrower_id, [*people, other]),
    )
    assert after in {before, other}


@given(people=st.lists(st.integers(1, 10**6), min_size=1, max_size=10, unique=True))
def test_each_has_a_like_share(people: list[int]) -> None:
    borrowers = 4_000
    found = Counter(choose_officer(f"B-{number}", people) for number in range(borrowers))
    share = borrowers / len(people)
    # Five standard deviations of a fair draw.
    off = 5 * (share * (1 - 1 / len(people))) ** 0.5
    assert set(found) == set(people)
    assert all(abs(count - share) <= off for count in found.values())


def test_what_it_gives_never_changes() -> None:
    """The hash is part of what is kept: with another one everybody would have somebody else."""
    assert [choose_officer(f"B-{number}", [1, 2, 3]) for number in range(8)] == EXPECTED
    assert choose_officer("B-1", []) is None


EXPECTED = [3, 1, 2, 3, 3, 1, 1, 3]
