"""What an app captured, as a person reads it: kind by kind, masked, asked for, and noted."""

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import NamedTuple

from playwright.sync_api import Page, expect

from tests.browser.house import House
from tests.events.samples import WHEN, body, data
from tests.sandbox.calling import Caller

BORROWER = "browser-events"


class Read(NamedTuple):
    """How one kind reads: what its event holds, where that stands, and what is masked in it."""

    holds: str
    place: str
    secrets: tuple[str, ...]


READ = (
    Read("2 messages", ".message.in + .message.out", ("Rent is due", "+254711000111")),
    Read("1 contact", "table.rows td", ("Mama Njeri", "njeri@example.org")),
    Read("2 battery readings", "svg.chart path.course", ()),
    Read("1 location", "ol.entries li", ("-1.2921,36.8219",)),
    Read("1 app", "ul.entries li", ("Bets", "com.betting.app")),
)


def reported(house: House) -> None:
    """A borrower of this test's own, with an event of each kind."""
    sandbox = SimpleNamespace(base_url=house.sandbox, auth_url=house.sandbox)
    service = Caller(sandbox, "kenya")  # type: ignore[arg-type]
    service.borrower(BORROWER)
    for number, one in enumerate(data()):
        when = (WHEN - timedelta(minutes=number)).isoformat()
        event = body(accountId=f"borrower:{BORROWER}", timestamp=when, data=[one])
        assert service.post("/events", event).status == 200


def test_each_kind_is_read_masked_asked_for_and_noted(
    page_of: Callable[[str], Page], house: House
) -> None:
    reported(house)
    page = page_of("officer")
    page.goto("/apps/kenya/events/")
    page.click("details:has(input[name=accountId]) > summary")
    page.fill("input[name=accountId]", f"borrower:{BORROWER}")
    page.keyboard.press("Enter")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(len(READ))
    listed = page.url
    for kind in READ:
        rows.filter(has_text=kind.holds).locator("a.stretch").click()
        expect(page.locator("h1")).to_have_text(kind.holds)
        main = page.locator("main")
        masked = main.locator("[data-finding=masked]")
        expect(masked).to_be_visible()
        expect(main.locator(kind.place).first).to_be_visible()
        for secret in kind.secrets:
            assert secret not in page.content()
        masked.locator("select[name=purpose]").select_option("complaint")
        masked.locator("button[type=submit]").click()
        expect(masked).to_have_count(0)
        for secret in kind.secrets:
            expect(main).to_contain_text(secret)
        page.click("main .notice a.button")
        expect(masked).to_be_visible()
        page.goto(listed)
    manager = page_of("manager")
    manager.goto("/audit/?action=dashboard.personalContent.reveal&person=officer")
    noted = manager.locator("tbody tr", has_text=f"borrower:{BORROWER} ")
    expect(noted).to_have_count(len(READ))
