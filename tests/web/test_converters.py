"""Ids of any kind stand in addresses and come back whole."""

import pytest
from django.urls import resolve, reverse
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.web.converters import KeyConverter, addresses, quote, unquote


@pytest.mark.parametrize(
    ("key", "segment"),
    [
        ("L-00421", "L-00421"),
        ("a.b~c", "a.b~c"),
        ("a/edit", "a_2Fedit"),
        ("borrower:1", "borrower_3A1"),
        ("a_b", "a_5Fb"),
        ("100%", "100_25"),
        ("new", "_6Eew"),
        ("news", "news"),
        (".", "_2E"),
        ("..", "_2E."),
        ("branch 4 no 23", "branch_204_20no_2023"),
        ("é", "_C3_A9"),
    ],
)
def test_escape(key: str, segment: str) -> None:
    assert quote(key) == segment
    assert unquote(segment) == key


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_every_id_comes_back_and_needs_no_encoding(key: str) -> None:
    segment = quote(key)
    assert unquote(segment) == key
    assert set(segment) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-")
    assert segment not in (".", "..", "new")


@given(st.text(min_size=1, max_size=20))
def test_an_id_reaches_the_page_of_its_record_and_no_other(key: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in key):
        return
    address = reverse("loan", args=["kenya", key])
    assert addresses("loan", "kenya")(key) == address
    found = resolve(address)
    assert (found.url_name, found.kwargs["account_id"]) == ("loan", key)


@pytest.mark.parametrize("segment", ["", "_", "_2", "_2f", "a b", "_ZZ", "_FF", "a/b"])
def test_what_the_escape_cannot_have_made_is_refused(segment: str) -> None:
    with pytest.raises(ValueError):
        unquote(segment)


def test_an_empty_id_has_no_address() -> None:
    with pytest.raises(ValueError):
        KeyConverter().to_url("")
