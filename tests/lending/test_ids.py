"""Ids go into paths whole, and the ones that mean something else to an address do not go at all."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.lending.errors import InvalidId, LendingError
from lendingadmin.lending.ids import account_id, check_id, encode_id, resource_id

REFUSED = ["", ".", "..", "a\nb", "a\x00", "\x7f", "\x85", "a\ud800", "\t"]
ALLOWED = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1).filter(
    lambda text: text not in (".", "..")
)


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        ("b-1_2~3.4", "b-1_2~3.4"),
        ("borrower:7", "borrower%3A7"),
        ("a/edit", "a%2Fedit"),
        ("100%", "100%25"),
        ("%2E%2E", "%252E%252E"),
        ("a?b#c&d=e+f", "a%3Fb%23c%26d%3De%2Bf"),
        ("two words", "two%20words"),
        ("Ünï", "%C3%9Cn%C3%AF"),
        ("名", "%E5%90%8D"),
        ("...", "..."),
        ("../x", "..%2Fx"),
        ("@;,!$'()*", "%40%3B%2C%21%24%27%28%29%2A"),
    ],
)
def test_an_id_is_encoded_with_nothing_left_safe(value, encoded):
    assert encode_id(value) == encoded


@given(ALLOWED)
def test_what_is_encoded_reads_back_as_the_same_id(value):
    encoded = encode_id(value)

    assert unquote(encoded, errors="strict") == value
    assert not set(encoded) & set(":/?#[]@!$&'()*+,;= ")


@pytest.mark.parametrize("value", [*REFUSED, None, 7])
def test_ids_that_no_address_can_carry_are_refused(value):
    with pytest.raises(InvalidId) as raised:
        check_id(value)

    assert isinstance(raised.value, LendingError)
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize(
    ("account", "resource"),
    [
        ("borrower:7", "7"),
        ("borrower:a:b", "a:b"),
        ("lender:7", None),
        ("borrower:", None),
        ("borrower", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_only_the_first_colon_separates_type_and_id(account, resource):
    assert resource_id(account) == resource


def test_an_account_id_is_made_of_type_and_id():
    assert account_id("a:b") == "borrower:a:b"
    assert resource_id(account_id("a:b")) == "a:b"
    with pytest.raises(InvalidId):
        account_id("")
