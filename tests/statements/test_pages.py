"""The statement desk's pages: bringing one in, what it shows, and recording one of its rows."""

import csv
import io
import json
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff import retention
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import keeping, places
from lendingadmin.desk.statements.lines import Kind, Place, Standing
from lendingadmin.desk.statements.models import KnownLayout, StatementFile, StatementLine
from lendingadmin.desk.statements.standings import judge_lines
from lendingadmin.desk.statements.views.entering import UNCHANGED
from lendingadmin.desk.statements.views.records import COLUMNS
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.conftest import ClientOf
from tests.repayments.rows import row
from tests.repayments.service import LoanService
from tests.roles import hold_only

from . import making

pytestmark = pytest.mark.django_db
make_service = LoanService
BASE = "/apps/kenya/statements/"
EMPTY = 'data-finding="empty"'
EVENTS = making.make_events(90)
PAID = [one for one in EVENTS if one.kind == "payment"]


def bring_in(clerk: Client, content: bytes, name: str = "whatever.bin") -> Any:
    return clerk.post(f"{BASE}new", {"file": SimpleUploadedFile(name, content)})


def open_page(clerk: Client, content: bytes, query: str = "") -> str:
    answer = bring_in(clerk, content)
    assert answer.status_code == 302, answer.content.decode()
    return clerk.get(f"{answer.headers['Location']}{query}").content.decode()


def test_the_list_is_empty_at_first_and_then_has_it(clerk: Client) -> None:
    assert EMPTY in clerk.get(BASE).content.decode()
    bring_in(clerk, making.pack_csv(making.write_mpesa(EVENTS)))
    page = clerk.get(BASE).content.decode()
    assert EMPTY not in page
    assert "M-PESA" in page and "chip good" in page and "123456" in page


def test_a_whole_statement_says_what_it_holds(clerk: Client) -> None:
    page = open_page(clerk, making.pack_xls(making.write_mpesa(EVENTS)))
    assert "chip good" in page and str(Standing.MISSING.label) in page
    file = StatementFile.objects.get()
    assert file.lines.count() == len(EVENTS)
    assert file.lines.filter(kind="payment").count() == len(PAID)
    assert Entry.objects.filter(action="dashboard.statements.read", outcome="read").count() == 1


def test_one_that_was_cut_names_the_row_and_confirms_nothing(clerk: Client) -> None:
    rows = making.write_mpesa(EVENTS)
    page = open_page(clerk, making.pack_csv([*rows[:20], *rows[21:]]))
    assert 'data-finding="not-whole"' in page
    first = StatementFile.objects.get().proof["breaks"][0]
    assert first["number"] == 20 and escape(first["words"]) in page


def test_pasted_rows_are_read_too(clerk: Client) -> None:
    text = making.pack_csv(making.write_mpesa(EVENTS), delimiter="\t").decode()
    answer = clerk.post(f"{BASE}new", {"text": text})
    assert answer.status_code == 302
    assert StatementFile.objects.get().network == "M-PESA"


@pytest.mark.parametrize(
    ("content", "code"), [(b"%PDF-1.4", "pdf"), (b"", "empty"), (b"<html><table>", "web_page")]
)
def test_what_is_no_statement_is_refused_beside_the_field(
    clerk: Client, content: bytes, code: str
) -> None:
    page = bring_in(clerk, content)
    assert page.status_code == 200 and page.context["form"].has_error("file", code)
    assert 'id="id_file_error"' in page.content.decode()
    assert not StatementFile.objects.exists()


def test_neither_a_file_nor_text_or_both_is_refused(clerk: Client) -> None:
    for data in ({}, {"text": "a,b", "file": SimpleUploadedFile("x.csv", b"a,b")}):
        page = clerk.post(f"{BASE}new", data)
        assert page.context["form"].has_error("file", "one_of_two")
        assert 'id="id_file_error"' in page.content.decode()


def test_the_same_file_is_kept_once(clerk: Client) -> None:
    content = making.pack_csv(making.write_mpesa(EVENTS))
    first = bring_in(clerk, content).headers["Location"]
    again = bring_in(clerk, content)
    assert again.headers["Location"] == first
    assert 'data-finding="uploaded-before"' in clerk.get(first).content.decode()
    assert StatementFile.objects.count() == 1
    assert StatementLine.objects.count() == len(EVENTS)


def shown_rows(clerk: Client, query: str) -> list[dict[str, str]]:
    number = StatementFile.objects.get().pk
    answer: Any = clerk.get(f"{BASE}{number}/export.csv{query or '?'}&technical=1")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_csv_has_the_words_of_the_screen(clerk: Client) -> None:
    number = bring_in(clerk, making.pack_csv(making.write_mpesa(EVENTS))).headers["Location"]
    answer: Any = clerk.get(f"{number}export.csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    head, *rows = csv.reader(io.StringIO(text))
    assert head == [column.label for column in COLUMNS]
    assert [len(row) for row in rows] == [len(head)] * len(EVENTS)
    assert {row[1] for row in rows} <= set(Kind.labels)


def test_each_payment_is_set_beside_the_journal(
    clerk: Client, support: User, django_assert_max_num_queries: Any
) -> None:
    recorded, other, unknown, refused, dollars = PAID[:5]
    known = {"app_id": "kenya", "network": "M-PESA"}
    for one, state, fields in (
        (recorded, RepaymentState.RECORDED, {}),
        (other, RepaymentState.RECORDED, {"amount": other.amount + 1}),
        (unknown, RepaymentState.UNKNOWN, {}),
        (refused, RepaymentState.REFUSED, {}),
        (dollars, RepaymentState.RECORDED, {"currency_code": "USD"}),
    ):
        fields = {"amount": one.amount, "external_id": one.receipt.lower()} | known | fields
        row(support, state, account_id=one.reference, **fields)
    rows = making.write_mpesa(EVENTS)
    twice = next(cells for cells in rows if cells and cells[0] == PAID[5].receipt)
    open_page(clerk, making.pack_csv([*rows, twice]))
    by_receipt = {one["transactionId"]: one["here"] for one in shown_rows(clerk, "?kind=payment")}
    standings = [
        Standing.CONFIRMED,
        Standing.OTHER_AMOUNT,
        Standing.WAITING,
        Standing.MISSING,
        Standing.OTHER_AMOUNT,
        Standing.TWICE,
        Standing.MISSING,
    ]
    assert [by_receipt[one.receipt] for one in PAID[:7]] == [one.label for one in standings]
    only = shown_rows(clerk, "?standing=confirmed")
    assert [one["transactionId"] for one in only] == [recorded.receipt]
    assert only[0]["repayments"] == f"rp-{Repayment.objects.get(account_id=recorded.reference).pk}"
    with django_assert_max_num_queries(14):
        number = StatementFile.objects.get().pk
        page = clerk.get(f"{BASE}{number}/?standing=confirmed").content.decode()
    assert f'href="/apps/kenya/repayments/{only[0]["repayments"][3:]}/"' in page


def test_many_refused_tries_do_not_hide_the_recorded_repayment(
    clerk: Client, support: User
) -> None:
    paid = PAID[0]
    usual: dict[str, Any] = {
        "app_id": "kenya",
        "network": "M-PESA",
        "external_id": paid.receipt,
        "amount": paid.amount,
    }
    row(support, RepaymentState.RECORDED, account_id=paid.reference, **usual)
    for _ in range(25):
        row(support, RepaymentState.REFUSED, **usual)
    open_page(clerk, making.pack_csv(making.write_mpesa([paid])))
    line = StatementFile.objects.get().lines.get()
    ((_row, standing),) = judge_lines(line.file, [line.position])
    assert standing == Standing.CONFIRMED


def test_the_kinds_and_the_standings_add_up_to_the_file(clerk: Client) -> None:
    page = open_page(clerk, making.pack_csv(making.write_mpesa(EVENTS)))
    total = sum((one.amount for one in PAID), Decimal(0))
    assert f"{total:,}" in page
    rows = shown_rows(clerk, "")
    assert len(rows) == len(EVENTS)
    assert [one["transactionId"] for one in rows] == [one.receipt for one in EVENTS[::-1]]


def test_the_rows_that_are_none_of_the_statement_are_counted(clerk: Client) -> None:
    table = making.write_mpesa(EVENTS)
    plain = open_page(clerk, making.pack_csv(table))
    assert 'data-finding="skipped"' not in plain
    blank = [""] * 8
    table += [table[8], ["Total", "31-10-2026", *blank], ["Printed by", "me"], [], blank]
    page = open_page(clerk, making.pack_csv(table))
    assert 'data-finding="skipped" data-count="3"' in page
    file = StatementFile.objects.latest("pk")
    assert file.lines.count() + file.proof["skipped"] == len(EVENTS) + 3
    assert file.proof["has_ends"] and not file.proof["found"]


def test_a_table_of_an_unknown_layout_is_mapped_once(clerk: Client) -> None:
    head = [["Wann", "Nr", "Wer", "Wieviel"]]
    first = making.pack_csv(head + [["2026-10-02", f"R{n}", "Ann", f"{n}.50"] for n in range(1, 9)])
    answer = bring_in(clerk, first)
    columns = answer.headers["Location"]
    assert columns.endswith("/columns")
    assert '<td data-label="Wieviel">5.50</td>' in clerk.get(columns).text
    wrong = clerk.post(columns, {"network": "Kiosk", "moment": "Wann"})
    assert wrong.context["form"].has_error("amount", "one_of_two")
    assert 'id="id_amount_error"' in wrong.content.decode()
    chosen = {"network": "Kiosk", "moment": "Wann", "amount": "Wieviel", "receipt": "Nr"}
    assert clerk.post(columns, chosen).status_code == 302
    assert KnownLayout.objects.get().network == "Kiosk"
    second = making.pack_csv(head + [["2026-10-03", f"S{n}", "Bo", f"{n}.00"] for n in range(1, 9)])
    page = open_page(clerk, second)
    assert "S8" in page and str(Standing.MISSING.label) in page
    assert [file.network for file in StatementFile.objects.order_by("pk")] == ["Kiosk", "Kiosk"]


@pytest.mark.parametrize("name", ["status", "side"])
def test_a_column_of_names_is_no_status(clerk: Client, name: str) -> None:
    head = [["Wann", "Wieviel", "Wer"]]
    table = making.pack_csv(head + [["2026-10-02", "5.50", f"Payer {n}"] for n in range(20)])
    columns = bring_in(clerk, table).headers["Location"]
    chosen = {"network": "Kiosk", "moment": "Wann", "amount": "Wieviel", name: "Wer"}
    answer = clerk.post(columns, chosen)
    assert answer.context["form"].non_field_errors() and answer.status_code == 200
    assert not KnownLayout.objects.exists() and not StatementLine.objects.exists()


def test_columns_that_were_named_wrongly_are_named_again(clerk: Client, support: User) -> None:
    head = [["Wann", "Wieviel", "Schuld"]]
    table = making.pack_csv(head + [["2026-10-02", f"{n}.50", f"{n * 7}.00"] for n in range(1, 9)])
    columns = bring_in(clerk, table).headers["Location"]
    wrong = {"network": "Kiosk", "moment": "Wann", "amount": "Schuld"}
    file = clerk.post(columns, wrong).headers["Location"]
    assert "252.00" in clerk.get(file).text and columns in clerk.get(file).text
    page = clerk.get(columns).text
    assert '<option value="Schuld" selected>' in page and 'value="Kiosk"' in page
    assert clerk.post(columns, {**wrong, "amount": "Wieviel"}).status_code == 302
    assert "40.00" in clerk.get(file).text and "252.00" not in clerk.get(file).text
    assert StatementLine.objects.count() == 8
    kept = StatementFile.objects.get()
    assert places.put(kept.lines.latest("pk"), Place.RETURNED, "said so", support)
    assert clerk.get(columns).status_code == 302 and columns not in clerk.get(file).text
    assert UNCHANGED in clerk.post(columns, wrong, follow=True).text


def test_days_that_can_be_two_are_asked_once(clerk: Client) -> None:
    header = ["Transaction Date", "Value Date", "Narrative", "Reference", "Debit", "Credit"]
    body = [["03/04/2026", "", "x", f"R{n}", "", f"{n}.00"] for n in range(1, 9)]
    page = open_page(clerk, making.pack_csv([header, *body]))
    assert 'data-asks="days"' in page
    number = StatementFile.objects.get().pk
    clerk.post(f"{BASE}{number}/days", {"first": "month"})
    page = clerk.get(f"{BASE}{number}/").content.decode()
    assert 'data-asks="days"' not in page
    months = {line.moment.month for line in StatementLine.objects.all() if line.moment}
    assert months == {3}


def test_who_paid_is_encrypted_and_shown_by_right(clerk: Client, client_of: ClientOf) -> None:
    page = open_page(clerk, making.pack_csv(making.write_mpesa(EVENTS)), "?kind=payment")
    assert making.NAMES[0] in page
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM statements_statementline")
        lines = repr(cursor.fetchall())
        cursor.execute("SELECT * FROM statements_statementfile")
        files = repr(cursor.fetchall())
    for name in making.NAMES:
        assert name not in lines and name not in files


def test_who_paid_is_masked_without_the_rights_to_see_it(
    client_of: ClientOf, officer: User
) -> None:
    hold_only(officer, "dashboard.statements.read", "dashboard.export")
    clerk = client_of(officer)
    page = open_page(clerk, making.pack_csv(making.write_mpesa(EVENTS)))
    text = page + repr(shown_rows(clerk, ""))
    assert not any(name in text for name in making.NAMES)
    assert not any(f"{one.phone[:5]}****" in text for one in EVENTS)
    assert EVENTS[-1].receipt in text
    head = "TransID,TransTime,TransAmount,BusinessShortCode,BillRefNumber"
    row_of_phone = f"{head}\nSJZZ000001,20261001060007,5.00,1,0711 222 333\n"
    page = open_page(clerk, row_of_phone.encode())
    assert "SJZZ000001" in page and "222 333" not in page
    table = making.pack_csv([["Wann", "Wer", "Was"], ["2026-10-01", "ANN OTIENO", "7.50"]])
    columns = bring_in(clerk, table).headers["Location"]
    page = clerk.get(columns).content.decode()
    assert "Wer" in page and "ANN OTIENO" not in page


def test_the_file_itself_goes_after_its_time_and_its_lines_stay(clerk: Client) -> None:
    bring_in(clerk, making.pack_csv(making.write_mpesa(EVENTS)))
    retention.delete_old()
    assert StatementFile.objects.get().content
    assert 'data-count="90"' in clerk.get(f"{BASE}new").content.decode()
    StatementFile.objects.update(created_at=timezone.now() - timedelta(91))
    retention.delete_old()
    file = StatementFile.objects.get()
    assert not file.content and file.lines.count() == len(EVENTS)
    assert not keeping.answer_days(file, True, file.created_by)


@pytest.mark.parametrize(
    "query", ["?after=x", "?after=-3", "?kind=no", "?standing=no", "?after=9e9"]
)
def test_an_address_that_makes_no_sense_is_no_fault(clerk: Client, query: str) -> None:
    assert open_page(clerk, making.pack_csv(making.write_mpesa(EVENTS)), query)


def test_odd_text_and_figures_in_a_file_are_no_fault(clerk: Client) -> None:
    head = ["TransID", "TransTime", "TransAmount", "BusinessShortCode", "BillRefNumber"]
    body = [
        ["A\0B", "20261001060007", "9" * 30, "1", "\ud800"],
        ["x" * 400, "20261001060007", "0.12345", "1", "y" * 5_000],
        ["=1+1", "20261001060007", "5.00", "1", "<script>"],
    ]
    text = "\n".join(json.dumps(dict(zip(head, cells, strict=True))) for cells in body)
    page = open_page(clerk, text.encode())
    assert "&lt;script&gt;" in page and "AB" in page
    keys = StatementLine.objects.order_by("position").values_list("kind", "receipt_key")
    assert list(keys) == [("other", "ab"), ("other", ""), ("payment", "")]


def test_the_same_file_twice_at_once_is_kept_once(
    clerk: Client, support: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, app = making.pack_csv(making.write_mpesa(EVENTS)), lending_app("kenya")
    read = keeping.read_content

    def bring_the_other_in(*given: Any) -> Any:
        monkeypatch.setattr(keeping, "read_content", read)
        keeping.take_in(app, content, support)
        return read(*given)

    monkeypatch.setattr(keeping, "read_content", bring_the_other_in)
    file, is_new = keeping.take_in(app, content, support)
    assert not is_new and StatementFile.objects.get() == file
    assert file.lines.count() == len(EVENTS)


def test_pages_of_rows_are_the_whole_file(clerk: Client) -> None:
    page = open_page(clerk, making.pack_csv(making.write_mpesa(EVENTS)))
    assert EVENTS[-1].receipt in page and EVENTS[0].receipt not in page
    second = clerk.get(f"{BASE}{StatementFile.objects.get().pk}/?after=50").content.decode()
    assert EVENTS[0].receipt in second and EVENTS[-1].receipt not in second


class TestRecordingARow:
    """A payment that is not recorded here leads to the review of a repayment, filled in."""

    @pytest.fixture
    def line(self, clerk: Client, service: LoanService) -> StatementLine:
        rows = making.write_mpesa(EVENTS)
        for cells in rows:
            if cells and cells[0] == PAID[0].receipt:
                cells[12] = "L-1"
                cells[3] = "Pay Bill"
        bring_in(clerk, making.pack_csv(rows))
        return StatementLine.objects.get(receipt=PAID[0].receipt)

    def test_the_box_begins_with_the_row(self, clerk: Client, line: StatementLine) -> None:
        page = clerk.get(f"{BASE}{line.file_id}/rows/{line.position}/record").content.decode()
        assert 'value="L-1"' in page and f'value="{PAID[0].receipt}"' in page
        assert f"{PAID[0].amount}" in page

    def test_the_review_has_the_moment_and_the_network_of_the_row(
        self, clerk: Client, line: StatementLine
    ) -> None:
        address = f"{BASE}{line.file_id}/rows/{line.position}/record"
        token = re.search(r'name="token" value="([^"]+)"', clerk.get(address).content.decode())
        assert token
        sent = {"who": "L-1", "amount": f"{line.amount:f}", "externalId": line.receipt}
        review = clerk.post(address, sent | {"token": token[1]}, follow=True)
        assert "/repayments/" in review.request["PATH_INFO"], review.content.decode()
        page = review.content.decode()
        assert "M-PESA" in page and PAID[0].receipt in page
        assert "1 Oct 2026" in page

    def test_a_row_that_is_no_payment_has_no_box(self, clerk: Client, line: StatementLine) -> None:
        charge = line.file.lines.filter(kind="charge")[0]
        page = clerk.get(f"{BASE}{line.file_id}/rows/{charge.position}/record")
        assert page.status_code == 404
