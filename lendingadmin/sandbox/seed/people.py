"""Borrowers: individuals and companies with phones, devices and ids (Spec: Borrower)."""

import random
import unicodedata
from datetime import date, datetime, timedelta
from string import ascii_uppercase, digits
from typing import Any

from lendingadmin.sandbox.rules.instants import write_timestamp
from lendingadmin.sandbox.seed.countries import APPS, Country

Body = dict[str, Any]

_MAILBOXES = ("example.com", "example.org", "example.net")
_PHONES = (
    ("SM-A057F", "Android", "14"),
    ("TECNO BG6", "Android", "13"),
    ("Infinix X6525", "Android", "13"),
    ("itel A665L", "Android", "12"),
    ("Redmi 12C", "Android", "13"),
    ("iPhone 12", "iOS", "17.6.1"),
    ("Nokia G21", "Android", "12"),
)
_JOBS = ("employed", "self_employed", "casual", "unemployed", "student", "retired")
_SCHOOLS = ("primary", "secondary", "diploma", "degree", "none")
_TIES = ("single", "married", "divorced", "widowed")

#: Unusual data for all pages: very long names, and ids that must be encoded in an address.
_LONG_NAMES = {
    "kenya": ("MWANASITI-NASRA BINTI ABDULRAHMAN", "Ole Lenaiyasa wa Nyamweya-Kiprono-Chepkemboi"),
    "ghana": ("Nana Adwoa Konadu Afriyie Serwaa", "Agyemang-Prempeh Amankwah Owusu-Ansah Boahen"),
}
_LONG_COMPANIES = {
    "kenya": "Mwanzo Mpya Women Farmers’ Savings and Credit Cooperative Society of Trans Nzoia",
    "ghana": "Brong Ahafo United Cocoa, Cashew and Shea Butter Growers’ Marketing Union Limited",
}
_ODD_IDS = {7: "cust:{n:05d}", 23: "branch 4 no {n}", 41: "zoë+{n}@north", 67: "100%-{n}"}


def seed_random(*parts: object) -> random.Random:
    """Return a random generator, which has the same numbers for the same parts on every machine."""
    return random.Random(":".join(map(str, parts)))  # noqa: S311 - nothing here is a secret


def build_borrower(app_id: str, n: int, now: datetime) -> Body:
    """Return the body that creates an app's n-th borrower, with dates relative to `now` (aware)."""
    chance = seed_random("borrower", app_id, n)
    countries = APPS[app_id][2]
    country = chance.choices([c for c, _ in countries], [share for _, share in countries])[0]
    company = n % 6 == 5
    body: Body = {
        "borrowerId": build_borrower_id(country, app_id, n),
        "category": "company" if company else "individual",
        "startDate": write_timestamp(now - timedelta(days=chance.randint(400, 1500), hours=n % 11)),
        "devices": [] if company else _build_devices(chance, app_id, n, now),
        "loans": [],
        "settings": {"timezone": country.zone},
    }
    if company:
        body["company"] = _build_company(chance, country, app_id, n, now)
    else:
        body["individual"] = _build_individual(chance, country, app_id, n, now)
    return body


def build_borrower_id(country: Country, app_id: str, n: int) -> str:
    """Return an id. Most ids are like `ke-100012`; some have the form of other lenders."""
    if n in _ODD_IDS:
        return _ODD_IDS[n].format(n=n)
    if n % 19 == 11:
        return fill_pattern(seed_random("phone", app_id, n), country.phone).lstrip("+")
    return f"{country.code.lower()}-{100000 + n}"


def _build_individual(
    chance: random.Random, country: Country, app_id: str, n: int, now: datetime
) -> Body:
    woman = chance.random() < 0.53
    first, second = chance.sample(country.women if woman else country.men, 2)
    surname = chance.choice(country.surnames)
    othernames = first if n % 3 == 1 else f"{first} {second}"
    if n == 13:
        othernames, surname = _LONG_NAMES[app_id]
    if n == 14:
        othernames = ""
    born = date(now.year - chance.randint(19, 68), chance.randint(1, 12), chance.randint(1, 28))
    silent = chance.random() < 0.08
    return {
        "surname": surname,
        "othernames": othernames,
        "dateOfBirth": born.isoformat(),
        "sex": "female" if woman else "male",
        "governmentIdNo": fill_pattern(chance, country.government_id),
        "countryOfResidence": country.code,
        "emailAddress": None if silent else _build_mailbox(chance, f"{first}.{surname}", n),
        "phoneNumber": fill_pattern(chance, country.phone),
        "employmentStatus": None if silent else chance.choice(_JOBS),
        "maritalStatus": chance.choice(_TIES),
        "educationLevel": None if silent else chance.choice(_SCHOOLS),
        "noOfDependants": chance.choice((0, 0, 1, 1, 2, 2, 3, 4, 5, 7)),
    }


def _build_company(
    chance: random.Random, country: Country, app_id: str, n: int, now: datetime
) -> Body:
    start = chance.choice((*country.surnames, *country.places))
    trade = chance.choice(country.trades)
    name = f"{start} {trade} {chance.choice(country.company_forms)}"
    if n == 17:
        name = _LONG_COMPANIES[app_id]
    founded = date(now.year - chance.randint(1, 30), chance.randint(1, 12), chance.randint(1, 28))
    return {
        "name": name,
        "registrationNo": f"{country.code}-{fill_pattern(chance, '@@-#######')}",
        "registrationDate": founded.isoformat(),
        "countryOfResidence": country.code,
        "town": chance.choice(country.places),
        "emailAddress": _build_mailbox(chance, f"accounts.{start}", n),
        "phoneNumber": fill_pattern(chance, country.phone),
    }


def _build_devices(chance: random.Random, app_id: str, n: int, now: datetime) -> list[Body]:
    devices = []
    for position in range(chance.choice((0, 1, 1, 1, 2))):
        model, system, version = chance.choice(_PHONES)
        devices.append(
            {
                "deviceId": f"{app_id[:2]}{n:04d}{position}{chance.getrandbits(44):011x}",
                "deviceType": "phone",
                "modelNumber": model,
                "osName": system,
                "osVersion": version,
                "createdAt": write_timestamp(now - timedelta(days=chance.randint(20, 390))),
                "active": position == 0,
                "serialNumber": fill_pattern(chance, "R#@#####@#@"),
            }
        )
    return devices


def _build_mailbox(chance: random.Random, name: str, n: int) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    local = "".join(sign for sign in plain.lower() if sign.isalnum() or sign == ".").strip(".")
    return f"{local or 'customer'}{n}@{chance.choice(_MAILBOXES)}"


def fill_pattern(chance: random.Random, pattern: str) -> str:
    """Return the pattern with a digit for each `#` and a capital letter for each `@`."""
    signs = {"#": digits, "@": ascii_uppercase}
    return "".join(chance.choice(signs[sign]) if sign in signs else sign for sign in pattern)
