"""The borrowers of the benchmark are as its docstring says."""

import json
from collections import Counter

from lendingadmin.lending.values import Borrower
from lendingadmin.people.index.cards import read_fields
from tests.benchmarks import people, population

_MANY = 20_000


def test_names_are_as_skewed_as_is_said() -> None:
    surnames = Counter(population.make_person(number).name.split()[0] for number in range(_MANY))
    shares = [count / _MANY for _, count in surnames.most_common(26)]
    assert 0.03 < shares[0] < 0.045
    assert 0.15 < sum(shares[:10]) < 0.19 and 0.23 < sum(shares) < 0.28
    phones = Counter(population.make_person(number).phone for number in range(_MANY))
    del phones[""]
    assert 0.015 < sum(count - 1 for count in phones.values()) / _MANY < 0.025


def test_the_service_and_the_benchmark_mean_the_same_borrower() -> None:
    for number in range(300):
        person = population.make_person(number)
        answer = json.loads(json.dumps(population.make_borrower(number)))
        fields = read_fields(Borrower(answer))
        assert answer["borrowerId"] == person.borrower_id
        assert population.find_person(person.borrower_id) == person
        assert fields["name"] == person.name
        assert fields["phone"] == person.phone.removeprefix("+")
        assert fields["number"] == str(person.number)


def test_namesakes_are_counted_as_they_are() -> None:
    book = people.Book(500)
    names = [people.split(population.make_person(number).name) for number in range(500)]
    for typed in (names[0][:1], names[1][:2], [names[2][0][:3]], [names[3][1][0], names[3][0]]):
        fitting = sum(
            all(any(word.startswith(part) for word in own) for part in typed) for own in names
        )
        assert book.count(typed) == fitting > 0


def test_a_stranger_is_told_from_who_may_be_shown() -> None:
    person = next(one for one in map(population.make_person, range(100)) if one.phone)
    first, second = people.split(person.name)[:2]
    for text in (
        person.phone,
        f"0{person.phone[4:]}",
        person.borrower_id.upper(),
        str(person.number),
        f"{second[0]} {first}",
        f"{first} {second[:3]} {person.phone[-4:]}",
        f"{first[:2]}{first[3:]} {second}",
    ):
        assert people.fits(text, person), text
    for text in ("0799999999", f"{first} xyzzy", f"{first} {second} 99999", "ke-1"):
        assert not people.fits(text, person), text


def test_there_are_as_many_spellings_and_searches_as_is_said() -> None:
    book = people.Book(2_000)
    spellings = book.list_spellings()
    assert sum(map(len, spellings.values())) >= people.SPELLINGS
    assert all(len(texts) >= people.SEARCHES for _, texts, _ in book.list_searches())
