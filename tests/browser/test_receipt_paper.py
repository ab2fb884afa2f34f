"""Receipts on paper, read back from the printed file: they equal the entry, and nothing is cut."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import House
from tests.browser.paper import Paper, print_page
from tests.browser.staged import Stage
from tests.browser.test_main_job import fill_in

LONG_CODE = "QK7X42ABCD" * 7
PAPERS = [("Print", (148, 210), 12), ("Print 80 mm", (80, 150), 4)]
SLIPS = [("Print a slip", (148, 210), 12), ("Slip 80 mm", (80, 150), 4)]


@pytest.fixture(scope="module")
def house(stage: Stage) -> House:
    return stage.house


@pytest.fixture
def support_page(page_of: Callable[[str], Page]) -> Page:
    return page_of("support")


def record(page: Page, number: int, amount: str, code: str) -> dict[str, str]:
    """Record a payment on the so-manyth loan in order; what the clerk's page says of it."""
    page.goto("/apps/kenya/loans/?status=2&performanceStatus=1")
    page.locator("tbody tr").nth(number).locator("a.stretch").click()
    fill_in(page, amount, externalId=code)
    page.locator("button[data-action=record]").click()
    expect(page.locator("#status h2")).to_contain_text("Recorded. Balance at ")
    card = page.locator("section[aria-labelledby=receipt]")
    said = dict(
        zip(
            card.locator("article dt").all_inner_texts(),
            card.locator("article dd").all_inner_texts(),
            strict=True,
        )
    )
    return said | {
        "Number": card.locator("article header strong").inner_text(),
        "Next and balance": "".join(card.locator("article footer p").all_inner_texts()),
    }


def open_sheet(page: Page, button: str) -> Paper:
    address = page.url
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_url(re.compile(r"/print(\?|$)"))
    paper = print_page(page)
    page.goto(address)
    return paper


@pytest.mark.parametrize(("button", "size", "edge"), PAPERS)
def test_what_is_printed_equals_the_entry_and_nothing_is_cut(
    support_page: Page, button: str, size: tuple[int, int], edge: int
) -> None:
    code = LONG_CODE + str(edge)
    said = record(support_page, 20 + edge, "1234.50", code)
    paper = open_sheet(support_page, button)
    assert (paper.pages, paper.size) == (1, size)
    assert paper.left >= edge - 0.5 and paper.right <= size[0] - edge + 0.5
    assert paper.bare.startswith(f"UmojaCreditReceipt{said['Number']}Receivedfrom".replace(" ", ""))
    assert re.fullmatch(r"KENYA-20\d\d-\d{6}", said["Number"])
    assert said["Next and balance"].count("KES") == 2
    for label, value in {
        "Received from": said["Received from"],
        "Amount": "KES 1,234.50",
        "Code": code,
        "Date": said["Date"],
        "Loan": said["Loan"],
        "Received by": "support",
    }.items():
        assert said[label] == value
        assert f"{label}{value}".replace(" ", "") in paper.bare
    assert said["Next and balance"].replace(" ", "") in paper.bare
    assert "Reprint" not in paper.text
    again = open_sheet(support_page, button)
    assert f"{said['Number']}Reprint.Firstprinted:" in again.bare
    assert again.pages == 1 and again.right <= size[0] - edge + 0.5


@pytest.mark.parametrize(
    ("language", "first", "left", "number"),
    [("Français", "Reçu", "Solde", 17), ("Kiswahili", "Risiti", "Salio", 18)],
)
def test_in_the_customer_s_language(
    support_page: Page, language: str, first: str, left: str, number: int
) -> None:
    record(support_page, number, "10", f"{language}-1")
    support_page.get_by_role("link", name=language).click()
    text = support_page.locator("[data-copy]").first.get_attribute("data-copy") or ""
    assert left in text and len(text) <= 160
    paper = open_sheet(support_page, "Print 80 mm")
    assert f"UmojaCredit{first}" in paper.bare and left in paper.bare
    assert paper.right <= 76.5


def test_the_text_for_sms_is_copied_whole(support_page: Page) -> None:
    said = record(support_page, 19, "10", "COPIED-1")
    support_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button, text = (
        support_page.locator("[data-action=copy-sms]"),
        support_page.locator("[data-sms]"),
    )
    button.click()
    copied = button.get_attribute("data-copied") or ""
    expect(support_page.locator("#announce")).to_have_text(copied)
    assert support_page.evaluate("navigator.clipboard.readText()") == text.inner_text()
    assert said["Number"] in text.inner_text()


@pytest.mark.parametrize(("button", "size", "edge"), SLIPS)
@pytest.mark.parametrize("name", ["rp_unknown", "rp_presumed", "rp_not_found"])
def test_what_is_not_known_prints_as_no_receipt(
    support_page: Page, stage: Stage, name: str, button: str, size: tuple[int, int], edge: int
) -> None:
    support_page.goto(f"/apps/kenya/repayments/{stage.names[name]}/")
    paper = open_sheet(support_page, button)
    assert (paper.pages, paper.size) == (1, size)
    assert paper.left >= edge - 0.5 and paper.right <= size[0] - edge + 0.5
    assert paper.bare.startswith("UmojaCreditNotareceiptWedonotknowyet")
    assert "KENYA-" not in paper.bare and "Reprint" not in paper.bare
    assert "Balance" not in paper.bare and "AmountKES1,250.50" in paper.bare
