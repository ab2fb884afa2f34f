"""A sheet of 200 rows: printed, its QR code read off the paper, typed with 200 Enters, and recorded
to the cent although the worker is killed on the way.
"""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

import pypdfium2
import pytest
import zxingcpp
from playwright.sync_api import Page, expect

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.house import House, running
from tests.browser.paper import print_page
from tests.sandbox.calling import Caller
from tests.sandbox_process import running_sandbox

ROWS = 200
_PATIENCE = 300.0
# Counts the loans, and puts the first so many that are open on a sheet.
_MAKE = f"""
import django
django.setup()
from datetime import date
from django.utils import timezone
from lendingadmin.core import gateway
from lendingadmin.desk.portfolio import snapshot_job, tasks
from lendingadmin.desk.portfolio.models import SnapshotLoan
from lendingadmin.desk.sheets import services
from lendingadmin.desk.sheets.choosing import Choosing, Chosen, Wanted
from lendingadmin.core.staff.models import User
row = tasks.start("kenya", None)
while snapshot_job.CountWalk.run_slice(row.pk) is not None:
    pass
app = gateway.lending_app("kenya")
loans = SnapshotLoan.objects.filter(snapshot=row, is_open=True, outstanding_rank__gt=100)
chosen = [
    Chosen(one.account_id, one.borrower_id, one.next_due_amount, one.overdue)
    for one in loans.order_by("account_id")[:{ROWS}]
]
wanted = Wanted(timezone.localdate(timezone=app.zone))
found = Choosing(row.began_at, chosen)
officer = User.objects.get(username="officer")
[sheet] = services.make_sheets(app, wanted, found, "browser", officer)
print(sheet.code, sheet.row_count)
"""


class Sandbox(NamedTuple):
    """Where the sandbox answers, for a caller that is not the product's."""

    base_url: str
    auth_url: str


class Worker:
    """The worker, which may be killed and started again."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "manage.py", "db_worker", "--interval", "0.2"],
            cwd=BASE_DIR,
            env=self._house.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        self._process.kill()
        self._process.wait(20)

    def start(self) -> None:
        self._process = self._start()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One of its own with enough loans, in which evidence waits for seconds."""
    folder = tmp_path_factory.mktemp("sheets")
    seed = ("--seed-loans", "360", "--seed-app", "kenya")
    with running_sandbox(tmp_path_factory.mktemp("service"), *seed) as sandbox:
        settings = {"HOUSE_QUIET": "2", "HOUSE_EVERY": "0"}
        settings |= {"LENDING_AUTH_URL": sandbox.auth_url, "LENDING_BASE_URL": sandbox.base_url}
        with running(folder, fill=False, settings=settings) as house:
            yield replace(house, sandbox=sandbox.base_url)


@pytest.fixture(scope="module")
def code(house: House) -> str:
    """The code of a sheet of 200 rows."""
    answer = subprocess.run(
        [sys.executable, "-c", _MAKE], env=dict(house.environ), stdout=subprocess.PIPE, check=True
    )
    code, count = answer.stdout.decode().split()[-2:]
    assert int(count) == ROWS
    return code


@pytest.fixture
def worker(house: House) -> Iterator[Worker]:
    worker = Worker(house)
    yield worker
    worker.kill()


def sum_paid(house: House) -> Decimal:
    """What stands as paid at the service, over all loans."""
    caller = Caller(Sandbox(house.sandbox, house.sandbox), "kenya")  # type: ignore[arg-type]
    total, token = Decimal(0), dict[str, str]()
    while True:
        body = caller.get("/loans", pageSize="100", **token).body
        for loan in body["loans"]:
            total += Decimal((loan.get("balances") or {}).get("repayment", {}).get("paid") or 0)
        if not body.get("nextPageToken"):
            return total
        token = {"pageToken": body["nextPageToken"]}


def read_qr(picture: pypdfium2.PdfBitmap) -> str:
    """What a reader that is not ours finds on a picture of the paper."""
    height, width = picture.height, picture.width
    pixels = bytes(picture.buffer)
    rows = b"".join(
        pixels[at * picture.stride : at * picture.stride + width] for at in range(height)
    )
    found = zxingcpp.read_barcodes(memoryview(rows).cast("B", (height, width)))
    return found[0].text if found else ""


def test_the_paper_is_a4_whole_rows_and_its_qr_code_is_read_back(
    page_of: Callable[[str], Page], code: str
) -> None:
    page = page_of("officer")
    page.goto(f"/apps/kenya/sheets/{code}/")
    page.get_by_role("button", name="Print", exact=True).click()
    expect(page.locator("article.collection")).to_be_visible()
    paper = print_page(page)
    assert paper.size == (210, 297) and paper.pages >= 8
    assert paper.left >= 11.5 and paper.right <= 210 - 11.5
    printed = pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True))
    texts = [one.get_textpage().get_text_bounded() for one in printed]
    for number, text in enumerate(texts, start=1):
        bare = "".join(text.split())
        # The code and the headings on each page, and which page of how many.
        assert f"{code[:3]}-{code[3:]}" in text and "Borrower" in text
        assert f"{number}/{len(texts)}" in bare, text[-200:]
    assert "200rows" in "".join(texts[-1].split()) and "Receivedby" in "".join(texts[-1].split())
    for scale in (1.5, 3):
        assert read_qr(printed[0].render(scale=scale, grayscale=True)) == code
    # And off the screen.
    assert page.locator("svg.qr").bounding_box()


def test_200_amounts_and_200_enters_are_recorded_to_the_cent(
    page_of: Callable[[str], Page], house: House, code: str, worker: Worker
) -> None:
    before, page = sum_paid(house), page_of("support")
    page.goto("/apps/kenya/sheets/")
    page.get_by_label("Code on the sheet").fill(f"{code[:3]}-{code[3:]}".lower())
    page.keyboard.press("Enter")
    expect(page.locator("input[name=row-1]")).to_be_focused()
    # The sum stands in sight from the first row on.
    expect(page.locator("[data-sum]")).to_be_in_viewport()
    amounts = [Decimal(number % 97 + 1) / 100 for number in range(ROWS)]
    for at, amount in enumerate(amounts, start=1):
        page.keyboard.type(str(amount))
        if at == 100:
            # What is typed survives a refresh.
            page.wait_for_timeout(2_500)
            page.reload()
            expect(page.locator(f"input[name=row-{at}]")).to_have_value(str(amount))
            page.locator(f"input[name=row-{at}]").focus()
        page.keyboard.press("Enter")
    expect(page.locator("input[name=counted]")).to_be_focused()
    total = sum(amounts, Decimal(0))
    page.keyboard.press("ArrowUp")
    expect(page.locator(f"input[name=row-{ROWS}]")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type(str(total + Decimal("0.01")))
    expect(page.locator("[data-sum]")).to_contain_text(f"{total} · more was counted: 0.01")
    page.keyboard.press("Enter")
    expect(page.locator(".errorlist")).to_contain_text("KES 0.01 more")
    expect(page.locator(f"input[name=row-{ROWS}]")).to_have_value(str(amounts[-1]))
    page.locator("input[name=counted]").fill(str(total))
    expect(page.locator("[data-sum]")).to_contain_text("equal to the counted cash")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Payments of Collection sheet", timeout=30_000)
    batch = page.url
    wait_for(page, batch, "to decide")
    press_record(page)
    wait_until(lambda: count_entered(page, batch) >= ROWS // 3)
    worker.kill()
    time.sleep(1)
    killed_at = count_entered(page, batch)
    worker.start()
    wait_for(page, batch, "done", "paused")
    rounds = finish(page, batch)
    service = sum_paid(house) - before
    told = f"sheet {total}, service {service}, killed at row {killed_at}, {rounds} rounds after"
    print(told)  # noqa: T201
    assert service == total > 0
    assert killed_at < ROWS
    page.goto(f"/apps/kenya/sheets/{code}/")
    expect(page.locator(".title .chip")).to_have_text("recorded")
    assert (
        page.locator("tbody tr", has_text=re.compile(r"KENYA-\d{4}-\d{6}|rp-\d+")).count() == ROWS
    )


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE
    while not holds():
        assert time.monotonic() < until, "it does not go on"
        time.sleep(0.2)


def wait_for(page: Page, batch: str, *states: str) -> None:
    """Until the batch is in one of these states."""

    def is_so() -> bool:
        page.goto(batch)
        return page.locator(".title .chip").first.inner_text() in states

    wait_until(is_so)


def press_record(page: Page) -> None:
    page.get_by_role("link", name=re.compile(r"^Record \d")).click()
    page.get_by_role("button", name="Record").click()


def count_entered(page: Page, batch: str) -> int:
    text = page.request.get(f"{batch}progress").text()
    found = re.search(r'<progress id="so-far" value="(\d+)"', text)
    return int(found[1]) if found else 0


def finish(page: Page, batch: str) -> int:
    """What a clerk does with what was cut off: wait for the evidence, check again, record the rest.

    Gives back how often that was needed.
    """
    until, turn = time.monotonic() + _PATIENCE, 0
    while time.monotonic() < until:
        page.goto(batch)
        landed = re.search(r"([\d,]+) recorded", page.locator("#batch").inner_text())
        if landed and int(landed[1]) == ROWS:
            return turn
        turn += 1
        time.sleep(5)
        page.goto(batch)
        if page.get_by_role("button", name="Continue").count():
            page.get_by_role("button", name="Continue").click()
            wait_for(page, batch, "done", "paused")
        if page.get_by_role("button", name="Decide again").count():
            page.get_by_role("button", name="Decide again").click()
        if page.get_by_role("button", name="Check again").count():
            page.get_by_role("button", name="Check again").click()
            wait_for(page, batch, "to decide")
        page.goto(f"{batch}?finding=may-double")
        if page.get_by_role("button", name="Accept").count():
            page.get_by_label("Reason").fill("the worker was ended, and the loan does not show it")
            page.get_by_role("button", name="Accept").click()
        page.goto(batch)
        if page.get_by_role("link", name=re.compile(r"^Record \d")).count():
            press_record(page)
        wait_for(page, batch, "to decide", "done", "paused")
    raise AssertionError(f"not all is recorded: {page.locator('main').inner_text()[:900]}")
