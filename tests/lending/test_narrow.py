"""A list of which only some keys are read says of them what the whole list says."""

import pytest
import simplejson

from lendingadmin.lending.codec import decode, make_decoder
from lendingadmin.lending.errors import Unreadable
from lendingadmin.lending.values import Malformed
from tests.faults.behaviours import reply
from tests.lending import shapes

KEYS = ("accountId", "loanAmount", "balances")
LOANS = [
    shapes.LOAN,
    {"accountId": "L-2", "loanAmount": [1, {"a": None}], "balances": "odd"},
    {},
]


def read(body):
    return make_decoder("loans", KEYS)(body)


def test_the_keys_that_are_asked_for_and_the_next_page():
    body = simplejson.dumps({"loans": LOANS, "nextPageToken": "t"}, use_decimal=True).encode()
    whole = decode(body)

    assert read(body) == {
        "loans": [{key: loan[key] for key in KEYS if key in loan} for loan in whole["loans"]],
        "nextPageToken": "t",
    }


@pytest.mark.parametrize(
    "number", ["0.10000000000000000001", "1E+3", "-7", "100000000000000000000001", "5.00"]
)
def test_a_number_has_the_digits_that_came(number):
    (loan,) = read(b'{"loans": [{"loanAmount": %s}]}' % number.encode())["loans"]

    assert loan["loanAmount"] == decode(number.encode())
    assert str(loan["loanAmount"]) == number


@pytest.mark.parametrize(
    "body",
    [
        b'{"loans": [{"accountId": "1", "other": 2}, 7]}',
        b'{"loans": {"accountId": "1"}}',
        b'{"loans": [{"accountId": "half \\ud800"}]}',
        b'\xef\xbb\xbf{"loans": []}',
        b"[]",
    ],
)
def test_what_is_no_list_of_objects_is_read_whole(body):
    assert read(body) == decode(body)


@pytest.mark.parametrize("body", [b"{", b'{"loans": [{"loanAmount": 1e999}]}', b'{"loans": NaN}'])
def test_what_cannot_be_read_is_an_error_like_everywhere(body):
    with pytest.raises(ValueError):
        read(body)


def test_a_walk_over_the_wire(service, client):
    first = simplejson.dumps({"loans": [LOANS[0], 7], "nextPageToken": "2"}, use_decimal=True)
    service.on("GET", reply(first))
    service.on("pageToken=2", reply("not valid JSON"))

    pages = client.app("kenya").loans.only(["accountId"]).pages()
    loan, odd = next(pages).items
    assert loan.account_id == "L-1"
    assert odd == Malformed(7)
    with pytest.raises(Unreadable):
        next(pages)
    assert client.app("kenya").loans.list().items[0].raw == decode(first.encode())["loans"][0]


def test_a_key_that_was_not_asked_for_is_not_there(service, client):
    service.on("GET", reply(simplejson.dumps({"loans": [shapes.LOAN]}, use_decimal=True)))

    (page,) = client.app("kenya").loans.only(["accountId"]).pages()
    assert dict(page.items[0].raw) == {"accountId": "L-1"}
