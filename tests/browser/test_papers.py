"""Papers for customers: how fast one is printed, and what pdftotext reads in each language."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import House
from tests.browser.paper import print_page
from tests.browser.staged import Stage
from tests.browser.stopwatch import Table, Watch

ROWS = 600
LANGUAGES = ("en", "fr", "sw")
NAME = f"محمد بن عبد الله {'Wanjirukamau' * 5}"
PDFTOTEXT = shutil.which("pdftotext")
# A statement of 600 repayments with long codes, in each language, and a payment of others.
_MAKE = f"""
import django
django.setup()
import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from django.utils import timezone
from lendingadmin.core import gateway
from lendingadmin.core.policies.lender import Lender
from lendingadmin.core.staff.models import User
from lendingadmin.desk.papers import contents, figures, notice, statement
from lendingadmin.desk.papers.models import BulkPapers, Paper
from lendingadmin.money.repayments.models import Repayment
app, now = gateway.lending_app("kenya"), timezone.now().replace(microsecond=0)
by = User.objects.get(username="officer")
began, one = now - timedelta(days=90), Decimal("1234.50")
total = {ROWS} * one + 301
rows = dict()
for key in range({ROWS}):
    at = began + timedelta(hours=key + 1)
    rows[key] = Repayment(
        pk=key, app_id="kenya", account_id="L-1", external_id=f"QK{{key:03}}" + "7X42ABCD" * 8,
        amount=one, transaction_date=at, sent_at=at, state="recorded", receipt_year=2026,
        receipt_sequence=key + 1,
    )
found = figures.Figures("L-" + "1" * 60, began, total, total - 1, Decimal(1),
    ((statement.LineKind.PRINCIPAL, total - 101), (statement.LineKind.INTEREST, Decimal(101))),
    None, None, now)
journal = [statement.Recorded(key, row.sent_at, one) for key, row in rows.items()]
present = statement.Balance(now, now, total - 1, total)
made = statement.build_statement(began, [], present, found.parts, journal)
account = figures.Account(found, made, rows, ())
lender = Lender("Umoja", "en", "DCP 17/2026", "Moi Avenue 5, Nairobi", "+254 20 000", "0800 1")
places = dict()
bulk = BulkPapers.objects.create(
    app_id="kenya", kind="statement", language="en", day=now.date(), state="done",
    idempotency_key="long", created_by=by,
)
places["bulk"] = bulk.get_absolute_url()
for number, language in enumerate({LANGUAGES!r}, start=901):
    subject = contents.Subject(app, lender, language, {NAME!r}, "B-1", "officer", now)
    content = contents.write_statement(subject, [account], frozenset(range(0, {ROWS}, 2)))
    paper = Paper.objects.create(
        app_id="kenya", year=2026, number=number, kind="statement", borrower_id="B-1",
        account_id="L-1", language=language, content=json.dumps(content.to_json()),
        figures_at=now, made_by=by, made_at=now, idempotency_key=f"long-{{language}}",
    )
    places[language] = paper.get_absolute_url()
    bulk.rows.create(borrower_id=language, paper=paper)
    late = [
        notice.OverdueLine(notice.Part.INSTALMENT, one, str(key), began + timedelta(days=key), one)
        for key in range(1, 61)
    ]
    rest = notice.OverdueLine(notice.Part.PENALTY, one)
    overdue = notice.Overdue("L-" + "1" * 60, 61 * one, (*late, rest))
    subject = replace(subject, lender=replace(lender, payment="Paybill 555000 " * 9))
    content = notice.write_notice(subject, [overdue])
    paper = Paper.objects.create(
        app_id="kenya", year=2026, number=number + 10, kind="notice", borrower_id="B-1",
        language=language, content=json.dumps(content.to_json()),
        figures_at=now, made_by=by, made_at=now, idempotency_key=f"notice-{{language}}",
    )
    places[f"notice-{{language}}"] = paper.get_absolute_url()
print(json.dumps(places))
"""


# The key facts of a contract with 500 instalments, and a refusal, in each language.
INSTALMENTS = 500
_MAKE_BEFORE = f"""
import django
django.setup()
import json
from datetime import timedelta
from decimal import Decimal
from django.utils import timezone
from lendingadmin.core import gateway
from lendingadmin.core.policies.lender import Lender
from lendingadmin.core.staff.models import User
from lendingadmin.desk.papers import contents, key_facts, refusal
from lendingadmin.desk.papers.models import Paper
from lendingadmin.lending.values import Assessment, LendingContract
app, now = gateway.lending_app("kenya"), timezone.now().replace(microsecond=0)
by = User.objects.get(username="officer")
part = dict(principal=Decimal("1000.25"), interest=Decimal("12.5"))
part |= dict(fees=Decimal(3), penalty=Decimal(0))
part["repayment"] = sum(part.values())
total = {{key: amount * {INSTALMENTS} for key, amount in part.items()}}
rows = [
    dict(sequenceNo=Decimal(place), amounts=part,
        dueDate=(now + timedelta(days=place)).isoformat())
    for place in range(1, {INSTALMENTS} + 1)
]
fees = [
    dict(kind=kind, displayName="Fee " + "for the protection of the loan " * 3,
        value=Decimal("0.0125"), calculationMethod="principal_amount_ratio",
        installmentTarget="in_progress")
    for kind in ("insurance", "late_payment_fee")
]
penalty = dict(rate=Decimal("0.06"), gracePeriod="3 days", calculationMethod="overdue_principal")
contract = LendingContract(dict(
    productId="P" * 60, amounts=total | dict(disbursement=total["principal"]), installments=rows,
    startDate=now.isoformat(), terms=dict(period="500 days", fees=fees, penalty=penalty),
    interestRates=dict(APR=Decimal("0.4263"), AER=Decimal("0.38")),
))
assessment = Assessment(dict(assessmentId="A-1", accountId="borrower:B-1", status=Decimal(1),
    result=dict(type="declined", reason="arrears_over_30_days", rule="score_below_450")))
lender = Lender("Umoja", "en", "DCP 17/2026", "Moi Avenue 5, Nairobi", "+254 20 000", "0800 1")
places = dict()
for number, language in enumerate({LANGUAGES!r}, start=941):
    subject = contents.Subject(app, lender, language, {NAME!r}, "B-1", "officer", now)
    lent = key_facts.Lent("P" * 60, (("Offer", "r-1"),), now, is_preview=True)
    written = dict()
    written["key-facts"] = key_facts.write_key_facts(
        key_facts.read_facts(contract, "KES"), lent, subject)
    written["refusal"] = refusal.write_refusal(refusal.read_assessment(assessment), subject)
    for place, (kind, content) in enumerate(written.items()):
        paper = Paper.objects.create(
            app_id="kenya", year=2026, number=number + 10 * place, kind=kind, borrower_id="B-1",
            language=language, content=json.dumps(content.to_json()), figures_at=now, made_by=by,
            made_at=now, idempotency_key=f"before-{{kind}}-{{language}}",
        )
        places[f"{{kind}} {{language}}"] = paper.get_absolute_url()
print(json.dumps(places))
"""


def _make_papers(house: House, program: str) -> dict[str, str]:
    answer = subprocess.run(
        [sys.executable, "-c", program], env=dict(house.environ), stdout=subprocess.PIPE, check=True
    )
    return dict(json.loads(answer.stdout.decode().splitlines()[-1]))


@pytest.fixture(scope="module")
def house(stage: Stage) -> House:
    return stage.house


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


@pytest.fixture(scope="module")
def long_papers(house: House) -> dict[str, str]:
    """The addresses of a long statement and a long notice by language, and of a print in bulk."""
    return _make_papers(house, _MAKE)


@pytest.fixture(scope="module")
def papers_before(house: House) -> dict[str, str]:
    """The addresses of the papers before a loan, by kind and language."""
    return _make_papers(house, _MAKE_BEFORE)


def read_text(page: Page, folder: Path) -> str:
    """What pdftotext reads on the printed page, without spaces but with the ends of pages."""
    if PDFTOTEXT is None:
        pytest.skip("pdftotext is not installed")
    file = folder / "paper.pdf"
    page.pdf(path=file, prefer_css_page_size=True)
    command = [PDFTOTEXT, "-enc", "UTF-8", str(file), "-"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return "\f".join("".join(one.split()) for one in done.stdout.decode().split("\f"))


def expect_printed(page: Page) -> None:
    page.wait_for_url(re.compile(r"/papers/\d+/\d+/$"))
    expect(page.locator("html")).to_have_attribute("data-printed", "yes")


def test_what_do_i_owe_is_printed_with_two_keys_or_two_clicks(
    page_of: Callable[[str], Page], stage: Stage, table: Table
) -> None:
    page = page_of("support")
    for keys in (True, False):
        page.goto(f"/apps/kenya/borrowers/{stage.names['borrower']}/")
        expect(page.locator("main a[data-papers]")).to_be_visible()
        watch = Watch(page)
        if keys:
            watch.press("s")
            expect(page.locator("main button[value=statement]")).to_be_focused()
            watch.press("Enter")
        else:
            watch.click(page.locator("main a[data-papers]"))
            watch.click(page.locator("main button[value=statement]"))
        expect_printed(page)
        table.stop(watch, f"what do I owe, on paper, by {'keys' if keys else 'mouse'}")
    table.print()


@pytest.mark.parametrize(
    ("start", "job"),
    [
        ("borrowers/{offered_to}/offers/staged-done/", "key facts"),
        (
            "borrowers/{offered_to}/offers/staged-done/contracts?amount={half}",
            "key facts, compared",
        ),
        ("assessments/{assessment_invalid}/", "refusal"),
    ],
)
def test_a_paper_before_a_loan_is_printed_with_two_keys_or_two_clicks(
    page_of: Callable[[str], Page], stage: Stage, table: Table, start: str, job: str
) -> None:
    page = page_of("officer")
    for keys in (True, False):
        page.goto(f"/apps/kenya/{start.format_map(stage.names)}")
        expect(page.locator("main a[data-papers]")).to_be_visible()
        watch = Watch(page)
        if keys:
            watch.press("s")
            expect(page.locator("main button.main[type=submit]")).to_be_focused()
            watch.press("Enter")
        else:
            watch.click(page.locator("main a[data-papers]"))
            watch.click(page.locator("main button.main[type=submit]"))
        expect_printed(page)
        assert watch.keys + watch.clicks <= 3, job


def test_key_facts_of_an_offer_are_printed_with_two_clicks_from_the_borrower(
    page_of: Callable[[str], Page], stage: Stage, table: Table
) -> None:
    page = page_of("officer")
    page.goto(f"/apps/kenya/borrowers/{stage.names['offered_to']}/")
    watch = Watch(page)
    watch.click(page.locator("main a[data-papers]"))
    watch.click(page.locator("[data-suggested=key-facts] button").first)
    expect_printed(page)
    table.stop(watch, "key facts of an offer, from the borrower")
    table.print()


def test_key_facts_of_a_new_loan_open_beside_it_with_one_key(
    page_of: Callable[[str], Page], stage: Stage
) -> None:
    page = page_of("officer")
    offer = f"/apps/kenya/borrowers/{stage.names['offered_to']}/offers/staged-done/"
    page.goto(f"{offer}contracts?amount={stage.names['half']}")
    page.locator("a[href*='/loan?']").first.click()
    expect(page.locator("main button[data-papers]")).to_be_visible()
    lend, sent = page.url, page.locator("input[name=draft]").get_attribute("value")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    expect_printed(opened.value)
    assert page.url == lend
    assert page.locator("input[name=draft]").get_attribute("value") == sent


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Key facts and schedule", "You receive", "If you pay late", "Complaints to:")),
        ("fr", ("Informations clés et échéancier", "Vous recevez", "Si vous payez en retard")),
        ("sw", ("Taarifa muhimu na ratiba ya malipo", "Unapokea", "Ukichelewa kulipa")),
    ],
)
def test_a_schedule_of_12_pages_repeats_its_head_and_cuts_no_row(
    page_of: Callable[[str], Page],
    papers_before: dict[str, str],
    tmp_path: Path,
    language: str,
    words: tuple[str, ...],
) -> None:
    page = page_of("officer")
    page.goto(papers_before[f"key-facts {language}"])
    expect_printed(page)
    paper = print_page(page)
    assert paper.size == (210, 297) and paper.pages >= 12
    assert paper.left >= 11.5 and paper.right <= 210 - 11.5
    text = read_text(page, tmp_path)
    for one in (*words, "DCP 17/2026", "Moi Avenue 5, Nairobi", "Wanjirukamau" * 5, "P" * 60):
        assert "".join(one.split()) in text, one
    head = page.locator("[data-table=schedule] thead").inner_text()
    # The head is on each page with rows: not on the first one, perhaps not on that of signatures.
    assert paper.bare.count("".join(head.split())) >= paper.pages - 2
    rows = page.locator("[data-table=schedule] tbody tr").all_inner_texts()
    assert len(rows) == INSTALMENTS + 1
    assert all("".join(row.split()) in paper.bare for row in rows)
    assert all("".join(cell.split()) in text for row in rows for cell in row.split("\t"))
    for line in page.locator("footer.signed p").all_inner_texts():
        assert "".join(line.split()) in text
    assert "SMS" not in text and f"{paper.pages}/{paper.pages}" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_is_one_page_and_nothing_is_cut(
    page_of: Callable[[str], Page], papers_before: dict[str, str], tmp_path: Path, language: str
) -> None:
    page = page_of("officer")
    page.goto(papers_before[f"refusal {language}"])
    expect_printed(page)
    paper = print_page(page)
    assert (paper.size, paper.pages) == ((210, 297), 1)
    assert paper.left >= 11.5 and paper.right <= 210 - 11.5
    text = read_text(page, tmp_path)
    cells = page.locator("[data-table=reasons] :is(th, td)").all_inner_texts()
    # Two reasons, two remedies, a contact, each with its label.
    assert len(cells) == 10
    for words in (*cells, "Wanjirukamau" * 5, "Moi Avenue 5, Nairobi"):
        assert "".join(words.split()) in text, words


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Statement of account", "Owed at the end", "Complaints to:")),
        ("fr", ("Relevé de compte", "Dû à la fin", "Réclamations :")),
        ("sw", ("Taarifa ya akaunti", "Deni la mwisho", "Malalamiko yapelekwe kwa:")),
    ],
)
def test_600_repayments_are_read_back_and_nothing_is_cut(
    page_of: Callable[[str], Page],
    long_papers: dict[str, str],
    tmp_path: Path,
    language: str,
    words: tuple[str, ...],
) -> None:
    page = page_of("officer")
    page.goto(long_papers[language])
    expect_printed(page)
    expect(page.locator("html")).to_have_attribute("lang", language)
    paper = print_page(page)
    assert paper.size == (210, 297) and paper.pages >= 12
    assert paper.left >= 11.5 and paper.right <= 210 - 11.5
    assert all("".join(one.split()) in paper.bare for one in words)
    text = read_text(page, tmp_path)
    for one in (*words, "DCP 17/2026", "Moi Avenue 5, Nairobi", "Wanjirukamau" * 5):
        assert "".join(one.split()) in text, one
    for key in range(ROWS):
        assert f"KENYA-2026-{key + 1:06}" in text and f"QK{key:03}7X42" in text
    sums = page.locator("[data-field=paid]").inner_text()
    assert "".join(sums.split()) in text
    assert page.locator("[data-field=closing]").inner_text() in text
    # The words of the screen are not on paper, and each page has its number.
    assert "SMS" not in text and f"{paper.pages}/{paper.pages}" in text
    assert page.locator("tr[data-line=repayment]").count() == ROWS


@pytest.mark.parametrize("keys", [True, False])
def test_a_notice_is_printed_with_three_keys_or_two_clicks(
    page_of: Callable[[str], Page], stage: Stage, table: Table, keys: bool
) -> None:
    page = page_of("support")
    page.goto(f"/apps/kenya/borrowers/{stage.names['overdue'][keys]}/")
    expect(page.locator("main a[data-papers]")).to_be_visible()
    watch = Watch(page)
    if keys:
        watch.press("s")
        expect(page.locator("main button[value=statement]")).to_be_focused()
        watch.press("Tab")
        expect(page.locator("main button[value=notice]")).to_be_focused()
        watch.press("Enter")
    else:
        watch.click(page.locator("main a[data-papers]"))
        watch.click(page.locator("main button[value=notice]"))
    expect_printed(page)
    expect(page.locator("[data-sheet=notice]")).to_be_visible()
    table.stop(watch, f"a notice, on paper, by {'keys' if keys else 'mouse'}")
    paper = print_page(page)
    owed = page.locator("[data-field=owed]").inner_text()
    assert paper.size == (210, 297) and "".join(owed.split()) in paper.bare
    assert paper.left >= 11.5 and paper.right <= 210 - 11.5


def test_papers_in_bulk_are_one_print_and_each_page_names_its_paper(
    page_of: Callable[[str], Page], long_papers: dict[str, str], tmp_path: Path
) -> None:
    page = page_of("officer")
    page.goto(long_papers["bulk"])
    page.locator("main form[action$='/print'] button").click()
    expect(page.locator("html")).to_have_attribute("data-printed", "yes")
    assert page.locator("[data-sheet=statement]").count() == len(LANGUAGES)
    text = read_text(page, tmp_path)
    pages = text.rstrip("\f").split("\f")
    numbers = [re.findall(r"KENYA-2026-P\d{6}", one) for one in pages]
    named = [sorted(set(one)) for one in numbers]
    # Each page is of one paper, and no paper is on the pages of another.
    assert all(len(one) == 1 for one in named), named
    assert len(pages) >= 3 * 12 and named == sorted(named)
    assert {one for [one] in named} == {f"KENYA-2026-P000{number}" for number in (901, 902, 903)}
    for key in range(ROWS):
        assert text.count(f"QK{key:03}7X42") == len(LANGUAGES)
    assert f"/{len(pages)}" not in text and "SMS" not in text


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Notice of what is owed", "Overdue in total", "we will call or visit you")),
        ("fr", ("Avis d'impayé", "Total en retard", "nous vous appellerons")),
        ("sw", ("Notisi ya deni", "Jumla iliyochelewa", "tutakupigia simu")),
    ],
)
def test_a_notice_of_60_instalments_is_read_back_and_nothing_is_cut(
    page_of: Callable[[str], Page],
    long_papers: dict[str, str],
    tmp_path: Path,
    language: str,
    words: tuple[str, ...],
) -> None:
    page = page_of("officer")
    page.goto(long_papers[f"notice-{language}"])
    expect_printed(page)
    paper = print_page(page)
    assert paper.size == (210, 297) and paper.pages >= 2
    assert paper.left >= 11.5 and paper.right <= 210 - 11.5
    text = read_text(page, tmp_path)
    for one in (*words, "Wanjirukamau" * 5, "Paybill 555000 " * 9, "0800 1"):
        assert "".join(one.split()) in text, one
    total = page.locator("[data-field=overdue]").inner_text()
    assert "".join(total.split()) in text
    assert page.locator("tr[data-line=instalment]").count() == 60
