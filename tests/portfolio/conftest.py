import re
from decimal import Decimal
from html import unescape

from django.test import Client

from lendingadmin.desk.portfolio import snapshot_job, tasks
from lendingadmin.desk.portfolio.dashboard import PortfolioSummary
from lendingadmin.desk.portfolio.loan_lists import LoanList
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from tests.faults.server import FaultServer
from tests.portfolio.service import BookService, loan

HOME = "/apps/kenya/"
# Home shows the portfolio to managers and viewers.
ROLE = "manager"
LISTS = f"{HOME}loans/lists/"


def make_service(server: FaultServer) -> BookService:
    """A service with five loans, in pages of two."""
    return BookService(server, [loan(number) for number in range(5)])


def counted() -> Snapshot:
    """Count the book of `kenya` here and now, without a worker."""
    row = tasks.start("kenya", None)
    assert row is not None
    while snapshot_job.CountWalk.run_slice(row.pk) is not None:
        pass
    row.refresh_from_db()
    return row


def read_page(client: Client, address: str = HOME) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def mark(state: str) -> str:
    """The mark of what a page says of a state."""
    return f'data-state="{state}"'


def read_summary(client: Client) -> PortfolioSummary:
    """What the home page shows of the newest count."""
    summary = client.get(HOME).context["summary"]
    assert isinstance(summary, PortfolioSummary)
    return summary


def words(html: str) -> str:
    """What a person reads, spaces made one; without the tips, which are hidden."""
    html = re.sub(r'<span class="tip".*?</span>', " ", html, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def outstanding(row: Snapshot) -> list[object]:
    amount, loans = row.figures["sums"]["outstanding"]
    return [Decimal(amount), loans]


def list_pages(found: LoanList) -> list[SnapshotLoan]:
    """All loans of a list, page by page."""
    page = found.read_page()
    loans = [row.loan for row in page.rows]
    while page.next:
        page = found.read_page(str(page.next))
        loans += [row.loan for row in page.rows]
    return loans
