"""Whether the payer of a row is the borrower of the loan that it names."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.desk.statements.agreement import Agreement, compare_payer
from lendingadmin.desk.statements.lines import About

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
        ("ANNE W. WANJIRU", AGREES),
        ("A. W. WANJIRU", AGREES),
        ("ANNE W. KAMAU", DIFFERS),
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


@pytest.mark.parametrize(
    ("payer", "phone", "agreement"),
    [
        ("ANN WANJIRU MWANGI", "25471****678", AGREES),
        ("WANJIRU KAMAU", PHONE, AGREES),
        ("WANJIRU KAMAU", "*****5678", DIFFERS),
        ("WANJIRU KAMAU", "25479****111", DIFFERS),
        ("PETER KAMAU", PHONE, DIFFERS),
        ("UNKNOWN", PHONE, AGREES),
        ("UNKNOWN", "", ABSENT),
    ],
)
def test_a_phone_and_one_name_are_a_person(payer: str, phone: str, agreement: Agreement) -> None:
    assert compare_payer(About(payer=payer, phone=phone), NAME, PHONE) == agreement


def test_one_part_that_differs_is_enough() -> None:
    other = About(payer="ANNE WANJIRU", phone="254700000000")
    assert compare_payer(other, NAME, PHONE) == DIFFERS
    assert compare_payer(replace(other, payer="PETER OTIENO", phone=PHONE), NAME, PHONE) == DIFFERS


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
        ("ANNE M OTIENO", "Anne Mwangi"),
        ("M. ANNE OTIENO", "Mwangi Anne"),
        ("Anne Mwangi", "ANNE M OTIENO"),
        ("WANJIKU NJOROGE", "NJOROGE W. KAMAU"),
        ("J. P. KAMAU", "PETER OTIENO KAMAU"),
        ("KAMAU TRADERS LTD", "PETER KAMAU"),
        ("PETER KAMAU", "KAMAU TRADERS LTD"),
        ("ABDI MOHAMED HASSAN", "ABDI ALI YUSUF"),
        ("MARY WANJIRU", "Mary Wanjiku"),
        ("PETER ATIENO", "Peter Otieno Ouma"),
        ("MARY ACHIENG", "Mary Ochieng"),
    ],
)
def test_what_many_names_have_proves_no_payer(payer: str, name: str) -> None:
    assert compare_payer(About(payer=payer), name, "") is Agreement.DIFFERS
    assert compare_payer(About(payer=name), name, "") is Agreement.AGREES


@pytest.mark.parametrize(
    ("payer", "name"),
    [
        ("OTIENO ANNE", "Anne Achieng Otieno"),
        ("ACHIENG ANNE M", "Anne Achieng Otieno"),
        ("A OTIENO", "Anne Achieng Otieno"),
        ("OTIENO A A", "Anne Achieng Otieno"),
        ("MOHAMMED HASSAN", "Hassan Mohamed Ali"),
        ("KAMAU TRADERS", "KAMAU TRADERS LTD"),
        ("MARY KAMAO", "Mary Kamau"),
        ("MARY NJOROG", "Mary Njoroge"),
        ("N'GUESSAN LÉA", "Lea Nguessan"),
    ],
)
def test_names_in_another_order_or_without_a_middle_one_agree(payer: str, name: str) -> None:
    assert compare_payer(About(payer=payer), name, "") is Agreement.AGREES


@pytest.mark.parametrize(
    ("details", "agreement"),
    [
        ("MPESA 254712345678 ANNE WANJIRU L-100", AGREES),
        ("MPESA/0712345678/WANJIRU, ANNE/L-100", AGREES),
        ("MPESA 25471****678 L-100", AGREES),
        ("PAID BY 0712 345 678", AGREES),
        ("TRF FROM ANNE WANJIRU TO 254700000000", AGREES),
        ("MPESA 254712345678 JANE WANJIKU L-100", DIFFERS),
        ("MPESA 254799999999 L-100", DIFFERS),
        ("MPESA 25479****111 ANNE WANJIRU", DIFFERS),
        ("call +256 772 345678", DIFFERS),
        ("ORDERING CUSTOMER: Jane Wanjiku REF L-100", DIFFERS),
        ("VIREMENT DE KOFFI KOUASSI POUR L-100", DIFFERS),
        ("DEPOSIT BY JANE WANJIKU FOR ANNE", DIFFERS),
        ("C2B_254712345678_JANE_WANJIKU_L-100", DIFFERS),
        ("MPS*254712345678*JANE WANJIKU*L-100", DIFFERS),
        ("MPS*0712345678*ANNE WAMBUI*L-100", AGREES),
        ("MPESA C2B ACHIENG OTIENO L-100", DIFFERS),
        ("INWARD B/O JANE WANJIKU INV 5", DIFFERS),
        ("PESALINK FROM 01109876543210 JANE WANJIKU", DIFFERS),
        ("PESALINK FROM 01109876543210 ANNE WANJIRU", AGREES),
        ("TRF FROM EQUITY BANK L-100", ABSENT),
        ("PAID BY CASH L-100", ABSENT),
        ("from my salary, by the end of May", ABSENT),
        ("261122000123 FT26110201 20261102123456", ABSENT),
        ("A/C 0110012345678 MPESA C2B L-100", ABSENT),
        ("LOAN REPAYMENT OCTOBER", ABSENT),
    ],
)
def test_a_payer_within_the_words_of_a_row(details: str, agreement: Agreement) -> None:
    assert compare_payer(About(details=details), NAME, PHONE) == agreement
    assert compare_payer(About(others=[f"{details} /"]), NAME, PHONE) == agreement
    # The columns are compared too.
    other = compare_payer(About(details=details, payer="PETER OTIENO"), NAME, PHONE)
    assert other == DIFFERS


@pytest.mark.parametrize("reference", ["254799999999", "251234567890"])
def test_an_identifier_is_no_phone_number(reference: str) -> None:
    """Figures of a column of references, or behind the name of one."""
    for about in (About(others=[reference]), About(details=f"EREF+{reference} /KREF/{reference}")):
        assert compare_payer(about, NAME, PHONE) == ABSENT


def test_a_number_of_another_country_is_another() -> None:
    own = "254712345678"
    assert compare_payer(About(phone="255712345678"), "", own) is Agreement.DIFFERS
    assert compare_payer(About(phone="0712345678"), "", own) is Agreement.AGREES
