"""Codes of sheets: what a hand or an ear gets wrong is noticed."""

from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.desk.sheets.codes import (
    LENGTH,
    SIGNS,
    is_code,
    looks_like_code,
    make_code,
    make_external_id,
    read_code,
    write_code,
)
from lendingadmin.money.repayments.models import normalise_external_id

codes = st.builds(lambda _: make_code(), st.integers())


@given(codes)
def test_what_is_made_is_a_code_and_is_read_however_it_is_typed(code: str) -> None:
    assert is_code(code) and len(code) == LENGTH
    for typed in (code, code.lower(), write_code(code), f" {code[:2]} {code[2:]} "):
        assert read_code(typed) == code
    assert read_code(make_external_id(code, 7)) == code
    assert read_code(make_external_id(code, 1234)) == code


@given(codes)
def test_one_wrong_sign_is_noticed_at_each_place(code: str) -> None:
    wrong = {
        code[:at] + other + code[at + 1 :]
        for at, sign in enumerate(code)
        for other in SIGNS
        if other != sign
    }
    assert len(wrong) == LENGTH * (len(SIGNS) - 1)
    assert not any(is_code(one) or read_code(one) for one in wrong)
    assert all(looks_like_code(one) for one in wrong)


@given(codes)
def test_two_signs_that_changed_places_are_noticed_wherever_they_stand(code: str) -> None:
    for first in range(LENGTH):
        for second in range(first + 1, LENGTH):
            signs = list(code)
            signs[first], signs[second] = signs[second], signs[first]
            assert code[first] == code[second] or not is_code("".join(signs))


@given(codes, st.sampled_from("0O1IL2Z5S8BGU"))
def test_what_looks_like_another_sign_is_in_no_code(code: str, sign: str) -> None:
    assert not read_code(sign + code[1:])


def test_no_two_rows_and_no_two_sheets_have_one_id() -> None:
    made = {make_code() for _ in range(200)}
    assert len(made) == 200
    ids = {normalise_external_id(make_external_id(code, n)) for code in made for n in (1, 11, 111)}
    assert len(ids) == 600


@given(st.text(max_size=30))
def test_other_text_is_no_code_and_breaks_nothing(text: str) -> None:
    assert read_code(text) == "" or is_code(read_code(text))
