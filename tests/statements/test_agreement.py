"""Whether the payer of a row is the borrower of the loan that it names."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.desk.statements.agreement import Agreement, compare_payer
from lendingadmin.desk.statements.rows import About

NAME, PHONE = "Anne Wambui WANJIRU", "254712345678"
AGREES, DIFFERS, UNKNOWN, ABSENT = (
    *(Agreement.AGREES, Agreement.DIFFERS),
    *(Agreement.UNKNOWN, Agreement.ABSENT),
)
OWN_HASH = hashlib.sha256(PHONE.encode()).hexdigest()


@pytest.mark.parametrize(
    ("payer", "agreement"),
    [
        ("ANNE WANJIRU", AGREES),
        ("wanjiru anne", AGREES),
        ("Wanjiru, A.", AGREES),
        ("WANJIRU", AGREES),
        ("ANNE WANJIRRU", AGREES),
        ("ANNE WAMBUI WANJIRU MWANGI", AGREES),
        ("PETER WANJIRU", DIFFERS),
        ("ANNE OTIENO", DIFFERS),
        ("PETER", DIFFERS),
        ("A", UNKNOWN),
        ("9876 - 12", ABSENT),
        ("", ABSENT),
    ],
)
def test_names(payer: str, agreement: Agreement) -> None:
    assert compare_payer(About(payer=payer), NAME, PHONE) == agreement
    assert compare_payer(About(payer=payer), "", PHONE) in (UNKNOWN, ABSENT)


@pytest.mark.parametrize(
    ("phone", "agreement"),
    [
        ("254712345678", AGREES),
        ("+254 712 345 678", AGREES),
        ("0712345678", AGREES),
        ("712345678", AGREES),
        ("25471****678", AGREES),
        ("2547****678", AGREES),
        ("0712***678", AGREES),
        ("*****5678", AGREES),
        (OWN_HASH, AGREES),
        ("254712345679", DIFFERS),
        ("*****678", UNKNOWN),
        ("5678", AGREES),
        ("********", ABSENT),
        ("xxxx", ABSENT),
        ("25472****678", DIFFERS),
        ("25471****679", DIFFERS),
        ("*****5679", DIFFERS),
        ("b" * 64, DIFFERS),
        ("", ABSENT),
    ],
)
def test_phones(phone: str, agreement: Agreement) -> None:
    assert compare_payer(About(phone=phone), NAME, PHONE) == agreement
    assert compare_payer(About(phone=phone), NAME, "") in (UNKNOWN, ABSENT)


def test_a_local_number_of_the_borrower_has_no_country() -> None:
    assert compare_payer(About(phone="25471****678"), NAME, "712345678") == AGREES
    assert compare_payer(About(phone="25472****678"), NAME, "712345678") == DIFFERS
    # Another hash says nothing: which country was hashed with it is not known.
    assert compare_payer(About(phone=OWN_HASH), NAME, "712345678") == UNKNOWN


def test_one_part_that_differs_is_enough() -> None:
    other = About(payer="ANNE WANJIRU", phone="254700000000")
    assert compare_payer(other, NAME, PHONE) == DIFFERS
    assert compare_payer(other._replace(payer="PETER OTIENO", phone=PHONE), NAME, PHONE) == DIFFERS


@given(st.text(), st.text(), st.text(), st.text())
def test_any_text_has_an_answer(payer: str, phone: str, name: str, own: str) -> None:
    assert compare_payer(About(payer=payer, phone=phone), name, own) in Agreement


@pytest.mark.parametrize(
    ("payer", "name"),
    [
        ("M K OTIENO", "MARY KAMAU"),
        ("OCHIENG OTIENO", "ACHIENG ATIENO"),
        ("KAMAU TRADERS LTD", "OTIENO TRADERS LTD"),
        ("FATUMA BINTI ALI", "AISHA BINTI ALI"),
        ("ALI BIN JUMA", "OMAR BIN ALI"),
        ("MRS MARY KAMAU", "MRS MARY OTIENO"),
    ],
)
def test_what_many_names_have_proves_no_payer(payer: str, name: str) -> None:
    assert compare_payer(About(payer=payer), name, "") is Agreement.DIFFERS
    assert compare_payer(About(payer=name), name, "") is Agreement.AGREES


def test_a_number_of_another_country_is_another() -> None:
    own = "254712345678"
    assert compare_payer(About(phone="255712345678"), "", own) is Agreement.DIFFERS
    assert compare_payer(About(phone="0712345678"), "", own) is Agreement.AGREES
