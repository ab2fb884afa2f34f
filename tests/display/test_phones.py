"""Phone numbers in the one form in which they are sent."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.web.display.phones import find_territory, group_phone, normalise_phone

NAIROBI, ACCRA = ZoneInfo("Africa/Nairobi"), ZoneInfo("Africa/Accra")


@pytest.mark.parametrize(
    "text",
    [
        "0712345678", "0712 345 678", "0712-345-678", "(0712) 345678", "712345678",
        "254712345678", "+254712345678", "+254 712 345678", "00254712345678", " 00 254 712345678",
        "٠٧١٢٣٤٥٦٧٨",
    ],
)  # fmt: skip
def test_every_way_to_write_a_number_is_the_same_number(text: str) -> None:
    assert normalise_phone(text, NAIROBI) == "+254712345678"


@pytest.mark.parametrize(
    ("text", "zone", "number"),
    [
        ("020 1234567", NAIROBI, "+254201234567"),
        ("024 123 4567", ACCRA, "+233241234567"),
        ("0712345678", ACCRA, None),
        ("+254712345678", ACCRA, "+254712345678"),
        ("+44 20 7946 0958", NAIROBI, "+442079460958"),
        ("0712345678", UTC, None),
        ("+254712345678", ZoneInfo("UTC"), "+254712345678"),
    ],
)
def test_a_number_without_its_country_is_of_the_lenders(
    text: str, zone: tzinfo, number: str | None
) -> None:
    assert normalise_phone(text, zone) == number


@pytest.mark.parametrize(
    "text",
    [
        "", "12345", "07123456789", "+2547123", "none", "her brother's", "0712345678 ext. 5",
        "0712345678 or 0722345678", "0" * 41, "+254712345678" * 4, "\x00", "+",
    ],
)  # fmt: skip
def test_what_is_no_number_is_none(text: str) -> None:
    assert normalise_phone(text, NAIROBI) is None


@pytest.mark.parametrize(
    ("zone", "territory"),
    [(NAIROBI, "KE"), (ACCRA, "GH"), (UTC, None), (ZoneInfo("Etc/UTC"), None)],
)
def test_the_country_of_a_zone(zone: tzinfo, territory: str | None) -> None:
    assert find_territory(zone) == territory


@pytest.mark.parametrize(
    ("dialled", "shown"),
    [
        ("+254700186215", "+254 700 186 215"),
        ("0700186215", "0700 186 215"),
        ("+2348031234567", "+234 803 123 4567"),
        ("+233201234567", "+233 201 234 567"),
        ("+14155550123", "+1 415 555 0123"),
        ("+4917612345678", "+49 176 123 456 78"),
        ("0712 345 678", "0712 345 678"),
        ("+999123456789", "+999123456789"),
        ("+2547", "+2547"),
        ("07•• ••• 215", "07•• ••• 215"),
        ("", ""),
    ],
)
def test_a_number_is_shown_in_groups(dialled: str, shown: str) -> None:
    assert group_phone(dialled).replace("\u00a0", " ") == shown


def test_a_number_does_not_break_and_an_unknown_notation_stays_as_it_is() -> None:
    assert " " not in group_phone("+254700186215")
    assert group_phone("0712 345 678") == "0712 345 678"
