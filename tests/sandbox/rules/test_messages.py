"""Money in and out, recognised in texts."""

import time
from decimal import Decimal

import pytest

from lendingadmin.sandbox.rules.messages import is_service, read_movement


@pytest.mark.parametrize(
    ("body", "amount"),
    [
        ("QX1 Confirmed. You have received Ksh1,500.00 from JANE. New balance Ksh9.00", "1500.00"),
        ("Payment received for GHS 50.00 from KOFI. Current balance: GHS 61.20", "50.00"),
        ("Your a/c has been credited with NGN25,000", "25000"),
        ("You have deposited UGX 200000 at KATO AGENCY", "200000"),
        ("JANE has sent you KES 20.5", "20.5"),
        ("Vous avez reçu 5000 FCFA de AYA", "5000"),
        ("Umepokea TZS 1,000,000 kutoka kwa ASHA", "1000000"),
        ("Refunded: KES 10. Amount sent to shop earlier KES 99", "10"),
        ("you have RECEIVED kes. 7", "7"),
    ],
)  # fmt: skip
def test_money_in(body: str, amount: str) -> None:
    assert read_movement("MPESA", "inbound", body) == (True, Decimal(amount))


@pytest.mark.parametrize(
    ("body", "amount"),
    [
        ("Ksh500.00 sent to JANE on 1/2. New balance Ksh12,000.00. Received in full.", "500.00"),
        ("Ksh300 paid to NAIVAS", "300"),
        ("Withdraw Ksh1,000.00 from 1234 - AGENT", "1000.00"),
        ("Payment made for GHS 20.00 to ECG", "20.00"),
        ("Your payment of GHS 10 to X was received", "10"),
        ("You bought Ksh50.00 of airtime", "50.00"),
        ("Acct debited NGN 4,100.00", "4100.00"),
        ("Transfert de 2000 CFA vers KOFFI", "2000"),
    ],
)
def test_money_out(body: str, amount: str) -> None:
    assert read_movement("MTN MoMo", "inbound", body) == (False, Decimal(amount))


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Hello, how are you?",
        "Get a loan of up to Ksh 50,000 today",
        "You have received a parcel",
        "You have received 500 points",
        "You have received TOKES 500",
        "Failed. Ksh500.00 was not sent to JANE",
        "Your withdrawal of GHS 50 was declined: insufficient funds",
        "Payment of KES 40 received was reversed",
        "received Ksh0.00",
        "received Ksh1,2345",
        "received Ksh9999999999999",
        "unsentimental KES 50",
    ],
)
def test_texts_that_tell_of_no_money(body: str) -> None:
    assert read_movement("MPESA", "inbound", body) is None


def test_only_what_a_service_wrote_counts() -> None:
    body = "I received Ksh500 from you"
    assert read_movement("MPESA", "inbound", body)
    assert read_movement("MPESA", "outbound", body) is None
    assert read_movement("+254700111222", "inbound", body) is None


@pytest.mark.parametrize(
    ("address", "service"),
    [
        ("MPESA", True),
        ("40404", True),
        ("123456", True),
        ("1234567", False),
        ("+254700111222", False),
        ("0700 111 222", False),
        ("", False),
        ("+", False),
    ],
)
def test_who_is_a_service(address: str, service: bool) -> None:
    assert is_service(address) is service


@pytest.mark.parametrize("piece", ["Ksh1,", "1,111", "9", "sent ", "Ksh", "received Ksh1,11"])
def test_a_text_four_times_as_long_takes_some_four_times_as_long(piece: str) -> None:
    def read(times: int) -> float:
        body = "received " + piece * times
        began = time.thread_time()
        read_movement("MPESA", "inbound", body)
        return time.thread_time() - began

    short, long = (min(read(times) for _ in range(3)) for times in (4_000, 16_000))
    assert long < 8 * short + 0.001  # were each beginning searched to the end, sixteen times
