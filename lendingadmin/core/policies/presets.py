"""Facts about the lending laws of countries, and values of our rules that follow from these facts.

The facts come from summaries of law firms, regulators and newspapers. No statute was read in full.
A fact that could not be verified has no values, so it changes no rule.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from babel import Locale
from babel.core import get_global
from django.utils.translation import get_language, to_locale
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp

from .kinds import Values

_READ_ON = date(2026, 11, 28)


@dataclass(frozen=True)
class Fact:
    """A fact about the law of a country, with the source and the day on which the source was read.

    `values` has a function for each rule, by the rule's key. The function takes the present values
    and returns the values that follow from the fact.
    """

    text: Any
    source: str
    is_verified: bool = True
    values: Mapping[str, Callable[[Values], Values]] = field(default_factory=dict)
    read_on: date = _READ_ON


def _store_for(days: int) -> Callable[[Values], Values]:
    """Return a function that raises the days of retention to `days`. 0 (never) does not change.

    Failed tasks and uploaded files are not records, so their days do not change.
    """

    def extend(present: Values) -> Values:
        records = present.keys() - {"rows_tasks", "rows_files"}
        longer = {key: present[key] and max(present[key], days) for key in records}
        return {**present, **longer}

    return extend


def _call_within(begin: str, end: str) -> Callable[[Values], Values]:
    """Return a function that shortens calling hours to these times.

    Stricter hours do not change.
    """

    def shorten(present: Values) -> Values:
        # An end at 00:00 is the end of the day.
        hours = [
            one and [max(one[0], begin), min(end if one[1] == "00:00" else one[1], end)]
            for one in present["hours"]
        ]
        return {**present, "hours": [one if one and one[0] < one[1] else None for one in hours]}

    return shorten


#: The facts by country (ISO 3166-1).
FACTS: Mapping[str, tuple[Fact, ...]] = {
    "KE": (
        Fact(
            _(
                "Contact only the borrower and guarantors. A statement of "
                "transactions on request. 30 days' notice before a listing at a credit bureau."
            ),
            "Digital Credit Providers Regulations, L.N. 46 of 2022 (jmkadvocates.co.ke)",
        ),
        Fact(_("We found no rule about calling hours in the law."), "", is_verified=False),
        Fact(
            _("After a default, interest is never more than the principal owed at that time."),
            "Banking Act s. 44A (kn.co.ke)",
            is_verified=False,
        ),
        Fact(
            _(
                "There is a draft law for lenders that take no deposits. Check whether the law "
                "is in force."
            ),
            "Draft of 7 Aug 2025 (cliffedekkerhofmeyr.com)",
            is_verified=False,
        ),
    ),
    "UG": (
        Fact(
            _("A receipt for every repayment."),
            "UMRA notices (umra.go.ug; wivanda.co.ug)",
        ),
        Fact(
            _("Records are stored for ten years."),
            "UMRA notices (umra.go.ug; wivanda.co.ug)",
            values={"retention": _store_for(3653)},
        ),
        Fact(
            _("Interest is at most 2.8 % a month."),
            "Legal Notice 21 of 2024 (umra.go.ug)",
        ),
    ),
    "TZ": (
        Fact(
            _(
                "Rates and fees are shown in Kiswahili or in both languages. Contact lists are "
                "not allowed."
            ),
            "Guidance note for digital Tier 2 lenders, 27 Aug 2024 (rive.co.tz)",
            values={"lender": lambda present: {**present, "language": "sw"}},
        ),
        Fact(
            _("The lender gives the reasons for refusing a loan."),
            "GN 679 of 2019 (rive.co.tz; kenyanwallstreet.com)",
        ),
    ),
    "GH": (
        Fact(
            _("Complaints are answered within 20 days. The customer agrees before data is shared."),
            "Directive for Digital Credit Services Providers, in force 1 Nov 2025 (techlabari.com)",
        ),
        Fact(
            _("The terms are disclosed before the customer signs."),
            "Act 773 (ghanaiantimes.com.gh)",
        ),
    ),
    "NG": (
        Fact(
            _(
                "No calls or visits about debts between 21:00 and 8:00. We have not verified "
                "this rule for digital-only lenders."
            ),
            "CBN Consumer Protection Regulations 5.5.7 (loansharkreview.com; publicsectormag.net)",
            values={"calling": _call_within("08:00", "21:00")},
        ),
        Fact(
            _(
                "A discharge letter at no cost within five business days. A notice of what is "
                "owed before collection."
            ),
            "CBN Consumer Protection Regulations (loansharkreview.com; publicsectormag.net)",
        ),
        Fact(
            _("Records are stored for five years. Complaints are answered within 24 to 48 hours."),
            "FCCPC Digital Lending Regulations 2025 (cardinalcounsel.co; businesspost.ng)",
            values={"retention": _store_for(1827)},
        ),
    ),
}


def find_country(app: LendingApp) -> str:
    """Return the country of the app's time zone, if there are facts about it; else empty."""
    code = str(get_global("zone_territories").get(app.zone.key, ""))
    return code if code in FACTS else ""


def list_countries() -> list[tuple[str, str]]:
    """Return the code and the name of each country with facts, in the person's language."""
    names = Locale.parse(to_locale(get_language() or "en")).territories
    return sorted(((code, names.get(code, code)) for code in FACTS), key=lambda one: one[1])
