"""What a poll transfers: a running assessment, a running offer, a repayment of unknown outcome."""

import re
from datetime import UTC, datetime
from html import unescape

from tests.benchmarks.places import Place, signed_in

APP = "/apps/kenya/"
TYPE = "assessmentTypes/scoring"
_HTMX = {"HX-Request": "true"}


def polls(place: Place) -> dict[str, int]:
    """Compressed bytes of one poll of each kind, while what it waits for goes on."""
    desk = Desk(place)
    # Nairobi is never behind UTC, so that this is never in the future there.
    when = f"{datetime.now(UTC):%Y-%m-%dT%H:%M}"
    desk.send(f"{APP}loans/L-000001/repayments/new", amount="120.50", transactionDate=when)
    receipt = desk.send(desk.stands_at)
    offer = desk.send(f"{APP}borrowers/B-0001/offers/new", assessmentType=TYPE, timestamp=when)
    assessment = desk.look(f"{APP}assessments/A-000001/")
    pages = {"repayment": receipt, "offer": offer, "assessment": assessment}
    return {kind: desk.polled(page) for kind, page in pages.items()}


class Desk:
    """A manager who fills in forms."""

    def __init__(self, place: Place) -> None:
        self.address = place.address
        self.session = signed_in(place.address, "/accounts/login/", "login", "manager")
        self.stands_at = ""

    def look(self, path: str) -> str:
        """A page."""
        return self.session.get(self.address + path).text

    def send(self, path: str, **entered: str) -> str:
        """Fill in the page's form, send it, and give the page that it leads to."""
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', self.look(path))
        answer = self.session.post(
            self.address + path,
            data=dict(hidden) | entered,
            headers={"Referer": self.address + path},
        )
        self.stands_at = answer.url.removeprefix(self.address)
        return answer.text

    def polled(self, page: str) -> int:
        """What the page's next poll transfers, compressed."""
        address = re.search(r'data-poll hx-get="([^"]+)"', page)
        if not address:
            raise SystemExit("a page that should poll does not")
        where = self.address + unescape(address[1])
        if "data-poll" not in self.session.get(where, headers=_HTMX).text:
            raise SystemExit("a poll ended")
        return len(self.session.get(where, headers=_HTMX, stream=True).raw.read())
