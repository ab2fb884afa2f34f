"""The text for SMS: one message of GSM-7 in each language; no amount, code or number is cut."""

import itertools
import re
import string
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.receipts import Receipt, Remainder
from lendingadmin.money.repayments.sms import LONGEST, count_signs, fold_letters, write_sms
from lendingadmin.money.repayments.states import RepaymentState

KENYA = LendingApp("kenya", "KES", ZoneInfo("Africa/Nairobi"))
READ = datetime(2026, 11, 22, 11, 2, tzinfo=UTC)
DUE = datetime(2026, 12, 21, 23, 59, 59, 999000, tzinfo=UTC)
LEFT = Remainder(Decimal("3703.98"), READ, Decimal("843.06"), DUE)
BIG = Remainder(Decimal("999999999999.99"), READ, Decimal("888888888888.88"), DUE)
LATE = Remainder(Decimal("13703.98"), READ, Decimal("1506.44"), DUE, Decimal("1724.26"))
BIG_LATE = BIG._replace(overdue=Decimal("777777777777.77"))
NOTHING = Remainder(Decimal("0.00"), READ, None, None)
NAME = "Mumbi Wanjiku"
# Sixty letters, as the longest names that the pages are looked at with.
LONG_NAME = "Nyambura Wangari Wanjiku Njeri Wambui Muthoni Nyokabi Waithera"

PERSONS = ("", NAME, LONG_NAME, "N" * 200, "ወንጅኩ አበበ", "Ŵanjikũ Mũgo")
LENDERS = ("Umoja Credit", "A lender of a name that is far too long " * 3, "ኡሞጃ")
AMOUNTS = {"0.5": "050", "3500": "350000", "999999999999.999": "999999999999999"}
# The digits that stand for each remainder: of what is overdue, of what is next, of what is left.
REMAINDERS: dict[Remainder | None, tuple[str, ...]] = {
    LEFT: ("84306", "370398"),
    LATE: ("172426", "150644", "1370398"),
    BIG: ("88888888888888", "99999999999999"),
    BIG_LATE: ("77777777777777", "88888888888888", "99999999999999"),
    NOTHING: ("000",),
    None: (),
}
MONEY = re.compile(r"\d{1,3}(?:[ ,]\d{3})*[.,]\d{2,3}(?!\d)")

# What a message may be made of (3GPP TS 23.038), written down here once more.
EXTENDED = "^{}\\[~]|€"
GSM = {*string.ascii_letters, *string.digits, *EXTENDED}
GSM |= set(" @£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà")


def receipt(language: str = "en", **given: Any) -> Receipt:
    fields = {"amount": Decimal("3500"), "external_id": "QK7X42ABCD", "currency_code": ""}
    fields |= {name: given.pop(name) for name in list(given) if name in fields}
    repayment = Repayment(
        app_id="kenya",
        transaction_date=datetime(2026, 11, 21, 21, 30, tzinfo=UTC),
        state=RepaymentState.RECORDED,
        receipt_year=given.pop("year", 2026),
        receipt_sequence=given.pop("sequence", 123),
        **fields,
    )
    usual = {"lender": "Umoja Credit", "person": NAME, "taken_by": "", "remainder": LEFT}
    return Receipt(repayment, True, **usual | given, language=language, app=KENYA)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {},
            "Umoja Credit: KES 3,500.00 received from Mumbi Wanjiku on 22 Nov. "
            "Next 843.06 on 21 Dec. Balance at 14:02: 3,703.98. "
            "Code QK7X42ABCD. Receipt KENYA-2026-000123.",
        ),
        (
            {"language": "fr"},
            "Umoja Credit: KES 3 500,00 reçu de Mumbi Wanjiku le 22 nov. "
            "Prochain 843,06 le 21 déc. Solde à 14:02 : 3 703,98. "
            "Code QK7X42ABCD. Reçu KENYA-2026-000123.",
        ),
        (
            {"language": "sw"},
            "Umoja Credit: Tumepokea KES 3,500.00 kutoka kwa Mumbi, 22 Nov. "
            "Lipa 843.06 hadi 21 Des. Salio saa 14:02: 3,703.98. "
            "Msimbo QK7X42ABCD. Risiti KENYA-2026-000123.",
        ),
        (
            {"remainder": LATE},
            "Umoja Credit: KES 3,500.00 received on 22 Nov. "
            "Still overdue 1,724.26. Next 1,506.44 on 21 Dec. Balance 13,703.98. "
            "Code QK7X42ABCD. Receipt KENYA-2026-000123.",
        ),
        (
            {"remainder": LATE, "language": "fr"},
            "Umoja Credit: KES 3 500,00 reçu le 22 nov. "
            "Reste impayé 1 724,26. Prochain 1 506,44 le 21 déc. Solde 13 703,98. "
            "Code QK7X42ABCD. Reçu KENYA-2026-000123.",
        ),
        (
            {"remainder": LATE._replace(amount=Decimal("3703.98")), "language": "sw"},
            "Umoja Credit: Tumepokea KES 3,500.00, 22 Nov. "
            "Bado kimechelewa 1,724.26. Lipa 1,506.44 hadi 21 Des. Salio 3,703.98. "
            "Msimbo QK7X42ABCD. Risiti KENYA-2026-000123.",
        ),
        (
            {"remainder": LATE._replace(next_amount=None, next_due=None), "person": "Mumbi"},
            "Umoja Credit: KES 3,500.00 received from Mumbi on 22 Nov. "
            "Still overdue 1,724.26. Balance at 14:02: 13,703.98. "
            "Code QK7X42ABCD. Receipt KENYA-2026-000123.",
        ),
        (
            {"remainder": NOTHING},
            "Umoja Credit: KES 3,500.00 received from Mumbi Wanjiku on 22 Nov. "
            "Balance at 14:02: 0.00. Code QK7X42ABCD. Receipt KENYA-2026-000123.",
        ),
        (
            {"remainder": LEFT._replace(read_at=READ + timedelta(days=6))},
            "Umoja Credit: KES 3,500.00 received on 22 Nov. "
            "Next 843.06 on 21 Dec. Balance at 14:02 on 28 Nov: 3,703.98. "
            "Code QK7X42ABCD. Receipt KENYA-2026-000123.",
        ),
    ],
)
def test_it_says_all_of_the_receipt(given: dict[str, Any], text: str) -> None:
    assert write_sms(receipt(**given)) == text.replace("ç", "c")


@pytest.mark.parametrize("code", ["QK7X42ABCD", "X" * 255, "NÁMBA ٣"])
@pytest.mark.parametrize("language", ["en", "fr", "sw"])
def test_it_fits_one_message_and_cuts_no_amount(language: str, code: str) -> None:
    for person, lender, amount, left in itertools.product(PERSONS, LENDERS, AMOUNTS, REMAINDERS):
        given = {"amount": Decimal(amount), "person": person, "lender": lender}
        mine = receipt(language, remainder=left, external_id=code, **given)
        text = write_sms(mine)
        assert set(text) <= GSM, set(text) - GSM
        assert len(text) + sum(letter in EXTENDED for letter in text) <= 160 == LONGEST, text
        assert mine.repayment.receipt_number in text
        is_big = left in (BIG, BIG_LATE)
        is_usual = code == "QK7X42ABCD" and lender == LENDERS[0] and not is_big
        # The largest amount of a payment leaves no room for a code and an amount that is overdue.
        assert code in text or not is_usual or (left == LATE and len(amount) > 4)
        assert (
            left is None
            or left.overdue is None
            or REMAINDERS[left][0] in re.sub(r"[ ,.]", "", text)
        )
        # Each amount stands there whole, or not at all.
        shown = [re.sub(r"\D", "", one) for one in MONEY.findall(text)]
        expected = [AMOUNTS[amount], *REMAINDERS[left]]
        assert shown == expected[: len(shown)]
        assert len(shown) == len(expected) or is_big


@pytest.mark.parametrize(
    ("person", "shown"),
    [
        (NAME, "from Mumbi Wanjiku on"),
        ("Mumbi Wanjiku Wangari", "from Mumbi W. W. on"),
        ("Mwanza Duka la Dawa SACCOS", "from Mwanza on"),
        ("N" * 30 + " Ann", "from N. A. on"),
        (LONG_NAME, "from Nyambura on"),
        ("N" * 40, "from N. on"),
        ("Ŵanjikũ Mũgo", "from Wanjiku Mugo on"),
        ("Akɔsua Ɖzifa", "from Akosua Dzifa on"),
        ("ወንጅኩ አበበ", "KES 3,500.00 received on"),
        ("", "KES 3,500.00 received on"),
    ],
)
def test_the_name_is_shortened_before_anything_else(person: str, shown: str) -> None:
    text = write_sms(receipt(person=person))
    assert shown in text
    for part in ("Umoja Credit: ", "QK7X42ABCD", "KENYA-2026-000123", "3,703.98", "843.06"):
        assert part in text


def test_without_a_remainder_it_says_none() -> None:
    text = write_sms(receipt(remainder=None))
    assert "3,703.98" not in text and "843.06" not in text


def test_a_payment_of_last_year_names_the_year() -> None:
    # Its receipt is of this one.
    assert "2026" in write_sms(receipt(year=2027)).partition("KENYA-")[0]


def test_another_currency_names_that_of_the_loan() -> None:
    text = write_sms(receipt(currency_code="USD", amount=Decimal(20)))
    assert "USD 20.00" in text and ": KES 3,703.98." in text


def test_letters_that_gsm_lacks_lose_their_marks() -> None:
    assert fold_letters("août\u202f3 “x” – ç") == 'aout 3 "x" - c'
    assert fold_letters("a\u200bb") == "" == fold_letters("Ж")
    assert count_signs("a€[") == 5
