"""LENDING_APPS: what is read of it, and what is said of what cannot be read."""

from zoneinfo import ZoneInfo

import pytest

from lendingadmin.core.gateway.lending_apps import LendingApp, read_lending_apps


def test_lending_apps_are_read_in_their_order() -> None:
    assert read_lending_apps("kenya:KES:Africa/Nairobi, ghana:GHS:Africa/Accra,") == (
        LendingApp("kenya", "KES", ZoneInfo("Africa/Nairobi")),
        LendingApp("ghana", "GHS", ZoneInfo("Africa/Accra")),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one app"),
        (" , ", "at least one app"),
        ("kenya", "not an ISO 4217"),
        ("kenya:XXQ:Africa/Nairobi", "“XXQ”"),
        ("kenya:KES", "not the name of a time zone"),
        ("kenya:KES:Africa/Nowhere", "“Africa/Nowhere”"),
        ("kenya:KES:../../etc/passwd", "not the name of a time zone"),
        ("ke/nya:KES:Africa/Nairobi", "app id"),
        (":KES:Africa/Nairobi", "app id"),
        ("a:KES:Africa/Nairobi,a:GHS:Africa/Accra", "each id once"),
    ],
)
def test_lending_apps_that_are_malformed_are_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_lending_apps(text)
