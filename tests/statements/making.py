"""Makes statements of each layout that is known, of invented people, with their traps."""

import csv
import io
import random
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import openpyxl
import xlwt
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

NAIROBI = ZoneInfo("Africa/Nairobi")
HOLDER = "Invented Lender Ltd"
NAMES = ("ACHIENG OTIENO", "WANJIRU KAMAU", "KWAME ASANTE", "FATOU DIALLO", "LÉA N’GUESSAN")
CR, ZERO = Decimal("0.01"), Decimal(0)
Rows = list[list[Any]]


@dataclass(frozen=True)
class Event:
    """Something that moved, or would have moved, money; `amount` is signed."""

    kind: str
    receipt: str
    at: datetime
    amount: Decimal
    balance: Decimal
    name: str = ""
    phone: str = ""
    reference: str = ""
    reverses: str = ""


def make_events(count: int, *, seed: int = 7, digits: bool = False) -> list[Event]:
    """So many events, oldest first, from an opening balance of 1,000.00."""
    chance, balance = random.Random(seed), Decimal("1000.00")
    at = datetime(2026, 10, 1, 6, 0, 7, tzinfo=NAIROBI)
    events = list[Event]()
    for number in range(count):
        at += timedelta(minutes=chance.randint(1, 9), seconds=number % 50)
        kind = chance.choices(
            ["payment", "charge", "settlement", "failed", "reversal"], [60, 30, 3, 4, 3]
        )[0]
        amount = Decimal(chance.randint(100, 900_000)) * CR
        if kind in ("charge", "settlement"):
            amount = -amount
        paid = [one for one in events if one.kind == "payment"]
        if kind == "reversal":
            kind, amount = ("reversal", -paid[-1].amount) if paid else ("payment", amount)
        balance += ZERO if kind == "failed" else amount
        events.append(
            Event(
                kind,
                _make_receipt(chance, number, digits),
                at,
                amount,
                balance,
                name=chance.choice(NAMES),
                phone=f"2547{chance.randint(10_000_000, 99_999_999)}",
                reference=f"L-{number:06}",
                reverses=paid[-1].receipt if kind == "reversal" else "",
            )
        )
    return events


def _make_receipt(chance: random.Random, number: int, digits: bool) -> str:
    if digits:
        return f"{9_000_000_000 + number}"
    return "SJ" + "".join(chance.choices(string.ascii_uppercase, k=2)) + f"{number:06}"


def write_mpesa(events: Sequence[Event], *, newest_first: bool = True, form: str = "day") -> Rows:
    """The organisation portal's table, with its head."""
    moment = {"day": "%d-%m-%Y %H:%M:%S", "iso": "%Y-%m-%d %H:%M:%S", "short": "%d-%m-%Y %H:%M"}
    body = [_mpesa_row(one, one.at.strftime(moment[form])) for one in events]
    moved = [one.amount for one in events if one.kind != "failed"]
    return [
        ["Account Holder", HOLDER],
        ["Short Code", "123456"],
        [],
        ["Time Period", "From 01-10-2026 00:00:00 To 31-10-2026 23:59:59"],
        ["Opening Balance", "1,000.00"],
        ["Closing Balance", f"{events[-1].balance:,}"],
        ["Total Paid In", f"{sum((x for x in moved if x > 0), ZERO):,}"],
        ["Total Withdrawn", f"{sum((x for x in moved if x < 0), ZERO):,}"],
        [
            *("Receipt No.", "Completion Time", "Initiation Time", "Details"),
            *("Transaction Status", "Paid In", "Withdrawn", "Balance", "Balance Confirmed"),
            *("Reason Type", "Other Party Info", "Linked Transaction ID", "A/C No."),
        ],
        *(body[::-1] if newest_first else body),
    ]


def _mpesa_row(one: Event, at: str) -> list[Any]:
    hidden = f"{one.phone[:5]}****{one.phone[-3:]}"
    details, party = f"Pay Bill from {hidden} - {one.name} Acc. {one.reference}", hidden
    if one.kind == "charge":
        details, party = "Pay Bill Charge", "SP"
    elif one.kind == "settlement":
        details, party = "Organization Settlement to bank", "9876 - Bank"
    elif one.kind == "reversal":
        details = f"Reversal of {one.reverses} by the customer"
    else:
        party = f"{hidden} - {one.name}"
    status = "Failed" if one.kind == "failed" else "Completed"
    paid_in, paid_out = (one.amount, "") if one.amount > 0 else ("", one.amount)
    linked = one.reverses
    return [
        *(one.receipt, at, at, details, status, paid_in, paid_out, one.balance, "TRUE"),
        *("Pay Utility", party, linked, one.reference if one.kind == "payment" else ""),
    ]


def write_mpesa_2010(events: Sequence[Event]) -> Rows:
    """M-PESA as its portal wrote it in 2010: other headings, and no account column."""
    header = [
        *("Receipt", "Date", "Details", "Status", "Withdrawn", "Paid In", "Balance"),
        *("Balance Confirmed", "Transaction Type", "Other Party Info", "Transaction Party Details"),
    ]
    rows = []
    for one in events:
        row = _mpesa_row(one, one.at.strftime("%Y-%m-%d %H:%M:%S"))
        rows.append([row[0], row[1], *row[3:5], row[6], row[5], *row[7:11], ""])
    return [["Organisation", HOLDER], [], header, *rows]


def write_telecel(events: Sequence[Event]) -> Rows:
    """Telecel Cash: as M-PESA, numeric receipts, ISO dates, a currency."""
    header = [
        *("Receipt No.", "Completion Time", "Initiation Time", "Details", "Transaction Status"),
        *("Currency", "Paid In", "Withdrawn", "Balance", "Reason Type", "Opposite Party"),
    ]
    rows = []
    for one in events:
        row = _mpesa_row(one, one.at.strftime("%Y-%m-%d %H:%M:%S"))
        rows.append([*row[:5], "GHS", *row[5:8], *row[9:11]])
    return [header, *rows]


def write_mtn(events: Sequence[Event]) -> Rows:
    """MTN MoMo: columns of the same name, parties as FRI:, signed amounts."""
    header = [
        *("Id", "External id", "Date", "Status", "Type", "Provider category", "From", "From name"),
        *("To", "To name", "To message", "Initiated by", "Initiated by", "From / Fee", "Currency"),
        *("Amount", "Currency", "Balance", "Currency"),
    ]
    words = {"payment": "Transfer", "charge": "Fee", "settlement": "Payout", "failed": "Transfer"}
    words["reversal"] = "Reversal"
    rows = [
        [
            *(one.receipt, "", one.at.strftime("%Y-%m-%d %H:%M:%S")),
            "Failed" if one.kind == "failed" else "Successful",
            *(words[one.kind], "", f"FRI:{one.phone}/MSISDN", one.name, "FRI:123/MM", "Lender"),
            *(one.reference, "api", "api", 0, "GHS", one.amount, "GHS"),
            *("" if one.kind == "failed" else one.balance, "GHS"),
        ]
        for one in events
    ]
    return [header, *rows]


def write_airtel(events: Sequence[Event]) -> Rows:
    """Airtel Money: rows of title, two spaces between day and time."""
    header = [
        *("Record No", "Transaction ID", "Reference No.", "Transaction Date & Time"),
        *("Payer MFS Provider", "Payer MSISDN", "Transaction Amount", "Service Type"),
        "Transaction Status",
    ]
    types = {"payment": "MR", "failed": "MR", "charge": "SCP", "settlement": "MP"}
    types["reversal"] = "MR Reversal"
    rows = [
        [
            *(number, one.receipt, one.reference, one.at.strftime("%d-%b-%Y  %H:%M:%S").upper()),
            *("Airtel", one.phone, one.amount, types[one.kind]),
            "Transaction Failed" if one.kind == "failed" else "Success",
        ]
        for number, one in enumerate(events, start=1)
    ]
    return [["Airtel Money"], ["Transaction report"], [], ["Period", "October"], [], header, *rows]


def write_airtel_user(events: Sequence[Event]) -> Rows:
    """Airtel Money, the report of a user: the service is named, and no reference."""
    header = [
        *("S. No.", "Transaction ID", "Sender Msisdn", "Transaction Amount"),
        *("Transaction Date and Time", "Transaction Type", "Receiver Msisdn", "Service Name"),
        "Transaction Status",
    ]
    types = {"payment": "MR", "failed": "MR", "charge": "SCP", "settlement": "MP"}
    types["reversal"] = "MR Reversal"
    rows = [
        [
            *(number, one.receipt, one.phone, one.amount),
            *(one.at.strftime("%d-%b-%Y %H:%M:%S").upper(), types[one.kind], "700000001"),
            *("Merchant", "Transaction Failed" if one.kind == "failed" else "Success"),
        ]
        for number, one in enumerate(events, start=1)
    ]
    return [header, *rows]


def write_wave(events: Sequence[Event]) -> Rows:
    """Wave: a fee beside each amount; what goes out is negative."""
    header = [
        *("timestamp", "transaction_id", "transaction_type", "amount", "fee", "currency"),
        *("counterparty_name", "counterparty_mobile", "client_reference"),
    ]
    types = {"payment": "merchant_payment", "charge": "fees", "settlement": "bank_transfer"}
    types |= {"failed": "merchant_payment", "reversal": "merchant_payment_refund"}
    rows = [
        [
            *(one.at.strftime("%b %-d  %Y  %I:%M:%S %p"), one.receipt, types[one.kind]),
            *(one.amount, 0, "GMD", one.name, f"{one.phone}.0", one.reference),
        ]
        for one in events
        if one.kind != "failed"
    ]
    return [header, *rows]


def write_wave_french(events: Sequence[Event]) -> Rows:
    """Wave in French, with balances."""
    header = [
        *("Horodatage", "Identifiant de transaction", "Type de transaction", "Montant", "Frais"),
        *("Solde", "Devise", "Nom de contrepartie", "Numéro de téléphone de contrepartie"),
    ]
    types = {"payment": "Paiement marchand", "charge": "Frais", "settlement": "Virement bancaire"}
    types["reversal"] = "Remboursement"
    rows = [
        [
            *(one.at.strftime("%Y-%m-%d %H:%M:%S"), one.receipt, types[one.kind]),
            *(f"{one.amount}".replace(".", ","), 0, f"{one.balance}".replace(".", ","), "CDF"),
            *(one.name, one.phone),
        ]
        for one in events
        if one.kind != "failed"
    ]
    return [header, *rows]


def write_orange(events: Sequence[Event]) -> Rows:
    """Orange Money: date and time in two columns."""
    header = [
        *("N°", "Date", "Heure", "Référence", "Service", "Paiement", "Statut", "Mode"),
        *("N° de Compte", "Wallet", "N° Pseudo", "Débit", "Crédit"),
    ]
    types = {
        "payment": "Paiement",
        "charge": "Frais",
        "settlement": "Virement",
        "failed": "Paiement",
    }
    types["reversal"] = "Annulation"
    rows = [
        [
            *(number, one.at.strftime("%d/%m/%Y"), one.at.strftime("%H:%M:%S"), one.receipt),
            *(types[one.kind], "", "Echec" if one.kind == "failed" else "Succès", "API"),
            *(one.phone, "Normal", "", "" if one.amount > 0 else -one.amount),
            one.amount if one.amount > 0 else "",
        ]
        for number, one in enumerate(events, start=1)
    ]
    return [["Relevé"], [], header, *rows]


def write_pawapay(events: Sequence[Event]) -> Rows:
    """pawaPay: moments of UTC."""
    header = ["Creation Date (UTC)", "MSISDN", "Transaction ID", "Amount", "Currency", "Country"]
    header += ["MNO", "Type", "Status"]
    types = {"payment": "DEPOSIT", "charge": "FEE", "settlement": "SETTLEMENT", "failed": "DEPOSIT"}
    types["reversal"] = "REFUND"
    rows = [
        [
            *(one.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), one.phone, one.receipt),
            *(one.amount, "KES", "KEN", "MPESA", types[one.kind]),
            "FAILED" if one.kind == "failed" else "COMPLETED",
        ]
        for one in events
    ]
    return [header, *rows]


def write_bank(events: Sequence[Event]) -> Rows:
    """A Kenyan bank's account: every way to write an amount."""
    header = ["Transaction Date", "Value Date", "Narrative", "Reference", "Debit", "Credit"]
    header += ["Running Balance"]
    words = {"payment": "MPESA C2B", "charge": "Ledger Fees", "settlement": "Bank transfer"}
    words["reversal"] = "Reversal"
    rows = []
    for number, one in enumerate(x for x in events if x.kind != "failed"):
        ways = (f"{abs(one.amount):,}", f"KES {abs(one.amount):,}", f"Ksh {abs(one.amount)}")
        amount = ways[number % 3]
        day = one.at.strftime(("%d/%m/%Y", "%d-%b-%Y")[number % 2])
        rows.append(
            [
                *(day, day, f"{words[one.kind]} {one.name} {one.reference}", one.receipt),
                *(amount if one.amount < 0 else "", amount if one.amount > 0 else ""),
                f"{one.balance:,}" if one.balance >= 0 else f"({-one.balance:,})",
            ]
        )
    return [["Invented Bank"], ["Account Number: 0123456789"], [], header, *rows]


def write_callbacks(events: Sequence[Event]) -> Rows:
    """C2B callbacks that an integrator exported."""
    header = [
        *("TransactionType", "TransID", "TransTime", "TransAmount", "BusinessShortCode"),
        *("BillRefNumber", "MSISDN", "FirstName", "MiddleName", "LastName"),
    ]
    rows = [
        [
            *("Pay Bill", one.receipt, one.at.strftime("%Y%m%d%H%M%S"), one.amount, "123456"),
            *(one.reference, "a" * 64, *one.name.split(maxsplit=1), ""),
        ]
        for one in events
        if one.kind == "payment"
    ]
    return [header, *rows]


LAYOUTS: dict[str, Callable[[Sequence[Event]], Rows]] = {
    "mpesa-organisation": write_mpesa,
    "mpesa-organisation-2010": write_mpesa_2010,
    "telecel-cash": write_telecel,
    "mtn-momo": write_mtn,
    "airtel-money": write_airtel,
    "airtel-money-user": write_airtel_user,
    "wave": write_wave,
    "wave-french": write_wave_french,
    "orange-money": write_orange,
    "pawapay": write_pawapay,
    "bank-account": write_bank,
    "mpesa-callbacks": write_callbacks,
}
#: Whose receipts are figures alone.
OF_DIGITS = ("telecel-cash", "mtn-momo")


def pack_csv(rows: Rows, *, delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    """As CSV."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue().encode(encoding)


def pack_xlsx(rows: Rows) -> bytes:
    """As XLSX, amounts as numbers."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([_number(cell) for cell in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pack_xls(rows: Rows) -> bytes:
    """As BIFF, on a sheet named as the portal names it."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("transaction")
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            sheet.write(at, column, _number(cell))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pack_ods(rows: Rows) -> bytes:
    """As ODS."""
    book, table = OpenDocumentSpreadsheet(), Table(name="transaction")
    for row in rows:
        line = TableRow()
        for cell in row:
            line.addElement(_make_cell(cell))
        table.addElement(line)
    book.spreadsheet.addElement(table)
    out = io.BytesIO()
    book.write(out)
    return out.getvalue()


def _make_cell(cell: Any) -> Any:
    made = TableCell(valuetype="string")
    if isinstance(cell, Decimal):
        made = TableCell(valuetype="float", value=str(cell))
    made.addElement(P(text=str(cell)))
    return made


def _number(cell: Any) -> Any:
    return float(cell) if isinstance(cell, Decimal) else cell


PACKS: dict[str, Callable[[Rows], bytes]] = {
    "csv": pack_csv,
    "xlsx": pack_xlsx,
    "xls": pack_xls,
    "ods": pack_ods,
}


def change_amount(events: Sequence[Event], at: int) -> list[Event]:
    """The same with one amount raised, its balance left."""
    one = events[at]
    return [*events[:at], replace(one, amount=one.amount + 100), *events[at + 1 :]]
