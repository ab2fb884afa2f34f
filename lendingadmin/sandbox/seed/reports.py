"""Reports of the app about a borrower (Spec: Event), and assessments.

Of every three borrowers, one has texts of a mobile-money service, contacts and readings of the
phone, if the borrower is an individual. Companies have no such data. Of every four borrowers, one
has an assessment of only the loans, if the borrower is a company. Timestamps are at the start of a
day, so that reports that are sent again on the same day add nothing.
"""

import random
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from lendingadmin.sandbox.rules.entity_values import APP, BATTERY, CONTACT, DOMAIN, LOCATION, SMS
from lendingadmin.sandbox.rules.events import CAPTURED
from lendingadmin.sandbox.rules.ids import write_account_id
from lendingadmin.sandbox.rules.instants import day_start, to_millis, write_timestamp
from lendingadmin.sandbox.seed.countries import APPS
from lendingadmin.sandbox.seed.people import Body, fill_pattern, seed_random

_DAYS = 88  # all reports must be within the 90 days of an assessment
_CREDIT, _LOANS = "assessmentTypes/credit-90-days", "assessmentTypes/loan-history-180-days"


class Purse(StrEnum):
    """Pattern of the money that a person receives and pays."""

    STEADY = "steady"
    TIGHT = "tight"
    OVERSPENT = "overspent"
    SILENT = "silent"


#: Patterns of the individuals with reports, in turn. A silent person has too few texts for a score.
_PURSES = (
    Purse.STEADY, Purse.TIGHT, Purse.STEADY, Purse.OVERSPENT, Purse.TIGHT, Purse.STEADY,
    Purse.SILENT, Purse.STEADY,
)  # fmt: skip
#: Numbers of texts about money received and money paid, and the money paid in percent.
_HABITS = {
    Purse.STEADY: (24, 16, 70),
    Purse.TIGHT: (12, 14, 96),
    Purse.OVERSPENT: (7, 20, 260),
    Purse.SILENT: (1, 2, 80),
}


class _Network(NamedTuple):
    sender: str
    money_in: str
    money_out: tuple[str, ...]
    bank: str
    bank_in: str
    apps: tuple[tuple[str, str], ...]
    place: tuple[Decimal, Decimal]


_NETWORKS = {
    "kenya": _Network(
        "MPESA",
        "{code} Confirmed. You have received Ksh{sum}.00 from {name} {phone}. New M-PESA balance is"
        " Ksh{left}.00.",
        (
            "{code} Confirmed. Ksh{sum}.00 sent to {name} {phone}. New M-PESA balance is"
            " Ksh{left}.00. Transaction cost, Ksh23.00.",
            "{code} Confirmed. Ksh{sum}.00 paid to NAKURU MART. New balance is Ksh{left}.00.",
            "{code} Confirmed. You bought Ksh{sum}.00 of airtime. New balance is Ksh{left}.00.",
        ),
        "Equity Bank",
        "Dear customer, your account has been credited with KES {sum}.00. Ref {code}.",
        (("M-PESA", "com.safaricom.mpesa.lifestyle"), ("Chess", "com.example.chess")),
        (Decimal("-1.2921"), Decimal("36.8219")),
    ),
    "ghana": _Network(
        "MobileMoney",
        "Payment received for GHS {sum}.00 from {name}. Current balance: GHS {left}.00."
        " Transaction ID: {code}.",
        (
            "Payment made for GHS {sum}.00 to {name}. Current balance: GHS {left}.00. ID: {code}.",
            "You have withdrawn GHS {sum}.00 at an agent. Current balance: GHS {left}.00.",
            "GHS {sum}.00 paid to ECG PREPAID. Current balance: GHS {left}.00. ID: {code}.",
        ),
        "GCB Bank",
        "Your account has been credited with GHS {sum}.00 on request. Ref {code}.",
        (("MoMo", "com.mtn.momo"), ("Oware", "com.example.oware")),
        (Decimal("5.6037"), Decimal("-0.1870")),
    ),
}
_CHATTER = (
    "Habari! Are we meeting on Sunday?",
    "Good morning. The rent is due on Friday.",
    "Win big! Reply YES to 22444 to take part.",
    "Your one-time code is 482913. Do not share it.",
)


class Reports(NamedTuple):
    """Bodies that create events and assessments, oldest first."""

    events: tuple[Body, ...] = ()
    assessments: tuple[Body, ...] = ()


def plan_reports(app_id: str, n: int, holder: Body, now: datetime) -> Reports:
    """Return the reports about the n-th borrower, whose body is `holder`; there may be none."""
    today = day_start(now.date())
    account = write_account_id(holder["borrowerId"])
    if holder["category"] == "company":
        return Reports((), (_build_assessment(account, _LOANS, today),) if n % 4 == 1 else ())
    if n % 3:
        return Reports()
    chance = seed_random("reports", app_id, n)
    purse = _PURSES[n // 3 % len(_PURSES)]
    texts = _build_set(SMS, _build_texts(chance, app_id, purse, today))
    contacts = [_build_set(CONTACT, _build_contacts(chance, app_id))]
    readings = _build_readings(chance, app_id, today)
    events = (
        _build_event(account, today - timedelta(days=2), contacts, "contact"),
        _build_event(account, today - timedelta(days=1), readings, None),
        _build_event(account, today, [texts], "sms"),
    )
    asked = [_build_assessment(account, _CREDIT, today)]
    if n % 2:
        asked.insert(0, _build_assessment(account, _LOANS, today - timedelta(days=5)))
    return Reports(events, tuple(asked))


def _build_event(account: str, moment: datetime, data: list[Body], category: str | None) -> Body:
    return {
        "accountId": account,
        "eventType": CAPTURED,
        "timestamp": write_timestamp(moment),
        "data": data,
        "category": category,
    }


def _build_assessment(account: str, kind: str, moment: datetime) -> Body:
    return {"accountId": account, "assessmentType": kind, "timestamp": write_timestamp(moment)}


def _build_set(kind: str, values: list[Body]) -> Body:
    return {"kind": f"{DOMAIN}/{kind}", "values": values}


def _build_texts(chance: random.Random, app_id: str, purse: Purse, today: datetime) -> list[Body]:
    """Return texts about money and some others, oldest first."""
    network, unit = _NETWORKS[app_id], APPS[app_id][1]
    came, went, share = _HABITS[purse]
    typical = unit * chance.randint(4, 30)
    found = []
    for place in range(came):
        sender, wording = network.sender, network.money_in
        if place % 8 == 7:
            sender, wording = network.bank, network.bank_in
        amount = typical * chance.randint(60, 140) // 100
        found.append(_build_text(sender, _write_text(chance, app_id, wording, amount)))
    for _ in range(went):
        amount = typical * came * share * chance.randint(85, 115) // (went * 10_000)
        wording = chance.choice(network.money_out)
        found.append(_build_text(network.sender, _write_text(chance, app_id, wording, amount)))
    for body in chance.sample(_CHATTER, 3):
        found.append(
            _build_text(
                _choose_number(chance, app_id), body, chance.choice(("inbound", "outbound"))
            )
        )
    for place, text in enumerate(found):
        text["smsId"] = str(4000 + place)
        text["timestamp"] = to_millis(_choose_moment(chance, today))
    return sorted(found, key=lambda text: int(text["timestamp"]))


def _build_text(address: str, body: str, direction: str = "inbound") -> Body:
    return {"address": address, "direction": direction, "read": True, "rawBody": body}


def _write_text(chance: random.Random, app_id: str, wording: str, amount: int) -> str:
    country = APPS[app_id][2][0][0]
    name = f"{chance.choice(country.women + country.men)} {chance.choice(country.surnames)}"
    return wording.format(
        code=fill_pattern(chance, "@@#@##@@#@"),
        sum=f"{max(amount, 1):,}",
        left=f"{amount * chance.randint(1, 9) // 4:,}",
        name=name.upper(),
        phone=_choose_number(chance, app_id),
    )


def _build_contacts(chance: random.Random, app_id: str) -> list[Body]:
    country = APPS[app_id][2][0][0]
    found = []
    for _ in range(chance.randint(15, 90)):
        name = f"{chance.choice(country.women + country.men)} {chance.choice(country.surnames)}"
        number = {"addressName": _choose_number(chance, app_id), "addressType": "telephone"}
        found.append({"name": name, "primaryAddress": number, "otherAddresses": []})
    return found


def _build_readings(chance: random.Random, app_id: str, today: datetime) -> list[Body]:
    """Return readings of battery, place and apps, with times before the event of yesterday."""
    network = _NETWORKS[app_id]
    before = today - timedelta(days=1)
    moments = [to_millis(_choose_moment(chance, before)) for _ in range(12)]
    battery = [
        {
            "timestamp": moment,
            "isCharging": moment % 3 == 0,
            "chargingMethod": "ac" if moment % 3 == 0 else None,
            "level": moment % 100 + 1,
        }
        for moment in moments
    ]
    latitude, longitude = network.place
    places = [
        {
            "timestamp": moment,
            "latLng": f"{latitude + _choose_drift(chance)},{longitude + _choose_drift(chance)}",
        }
        for moment in moments[:8]
    ]
    apps = [
        {"timestamp": moments[0], "name": name, "package": package, "label": name}
        for name, package in network.apps[chance.randrange(2) :]
    ]
    return [_build_set(BATTERY, battery), _build_set(LOCATION, places), _build_set(APP, apps)]


def _choose_drift(chance: random.Random) -> Decimal:
    return Decimal(chance.randint(-400, 400)) / 10_000


def _choose_moment(chance: random.Random, before: datetime) -> datetime:
    return before - timedelta(minutes=chance.randint(5, _DAYS * 24 * 60))


def _choose_number(chance: random.Random, app_id: str) -> str:
    return fill_pattern(chance, APPS[app_id][2][0][0].phone)
