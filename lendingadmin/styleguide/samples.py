"""Sample data for the components of the styleguide: invented people and loans."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from django import forms

from lendingadmin.lending.errors import BadRequest, NotAllowed, Saved, TimedOut
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments.messages import get_message
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.web.display import statuses
from lendingadmin.web.display.charts import Item, draw_bars, draw_horizontal_bars, draw_line
from lendingadmin.web.display.statuses import Status
from lendingadmin.web.display.technical import Leaf, list_technical
from lendingadmin.web.errors import Card, card
from lendingadmin.web.fields import AmountField, moment_field

LONG_ID = "LN-2026-0001-a-loan-account-id-that-is-sixty-letters-long-x"
LONG_NAME = "OLE LENAIYASA WA NYAMWEYA-KIPRONO-CHEPKEMBOI MWANASITI-NASRA BINTI ABDULRAHMAN"
RTL_NAME = "عبد الرحمن بن محمد الحسن"
BIG = Decimal("987654321098.76")
PARTS = (
    *("colours", "type", "space", "buttons", "fields", "notices", "errors", "chips", "facts"),
    *("terms", "tables", "entries", "progress", "charts", "dialogs", "empty", "long"),
)

_WORDS = (
    *("pending", "open", "closed", "settled", "written off", "performing", "watch"),
    *("substandard", "doubtful", "loss", "active", "suspended", "blocked", "unheard of"),
)


class SampleForm(forms.Form):
    """A form with a field of each kind."""

    borrowerId = forms.CharField(label="Borrower id", help_text="Unique within this app.")  # noqa: N815
    amount = AmountField(label="Amount (KES)", max_digits=20, decimal_places=2)
    transactionDate = moment_field(label="Transaction date")  # noqa: N815
    channel = forms.ChoiceField(
        label="Channel", choices=[("", "not given"), ("mobile", "mobile")], required=False
    )
    network = forms.ChoiceField(
        label="Network",
        choices=[("", "not given"), ("M-PESA", "M-PESA")],
        widget=forms.RadioSelect(attrs={"class": "chips"}),
        initial="M-PESA",
        required=False,
    )
    platform = forms.MultipleChoiceField(
        label="Platforms",
        choices=[("android", "Android"), ("ios", "iOS")],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    notes = forms.CharField(label="Notes", widget=forms.Textarea(attrs={"rows": 2}), required=False)
    file = forms.FileField(label="File", required=False, help_text="JSON, at most 5 MB.")
    sure = forms.BooleanField(label="I have counted it", required=False)


def chips() -> list[Status]:
    """Return every status that has a style, and a status without a style."""
    worded = [statuses.find_status("1", {"1": word}) for word in _WORDS]
    late = statuses.days_late(20)
    return [status for status in (*worded, *repayment_chips().values(), late) if status]


def repayment_chips() -> dict[str, Status]:
    """Return the chip of each state of a repayment."""
    return {str(state): get_message(state).chip for state in RepaymentState}


def cards() -> list[Card]:
    """Return four error cards: a rule of the service, the role, the service account, an outage."""
    return [
        card(
            BadRequest(
                operation="loans.makeRepayment",
                status=422,
                error_description="The loan is closed",
                request_id="7f3a9c",
                saved=Saved.NO,
            )
        ),
        Card(
            title="Your role does not allow this action",
            cause="To record a repayment you need the role support; you are signed in as viewer.",
            next="Ask a manager to do it, or to give you the role.",
            tone="warn",
        ),
        card(NotAllowed(operation="loans.create", status=403, saved=Saved.NO)),
        card(TimedOut(operation="loans.makeRepayment", saved=Saved.UNKNOWN)),
    ]


def schedule() -> dict[str, Any]:
    """Return a contract of six instalments: one is paid, one is late and one is next."""
    rows = [_installment(month) for month in range(6)]
    progress = ("paid", "late", "next", "to come", "to come", "to come")
    steps = [
        SimpleNamespace(installment=row, number=at + 1, progress=progress[at], covered=None)
        for at, row in enumerate(rows)
    ]
    contract = SimpleNamespace(installments=tuple(rows))
    columns = [
        SimpleNamespace(name="Six-month loan", contract=contract),
        SimpleNamespace(name=LONG_NAME, contract=SimpleNamespace(installments=tuple(rows[:2]))),
    ]
    return {"contract": contract, "steps": steps, "columns": columns}


def pictures() -> dict[str, Any]:
    """Return the bars of the home page, by month and by kind, and a figure over time."""
    start = datetime(2025, 11, 15, tzinfo=UTC)
    points = [(start + timedelta(days=30 * n), Decimal(n * n % 13 * 51_000)) for n in range(13)]
    months = [
        Item(f"{when:%b %y}", amount, f"KES {amount:,} in {when:%B %Y}", "#main")
        for when, amount in points
    ]
    line = draw_line(points, write=lambda x: f"{x:,}", write_time=lambda when: f"{when:%-d %b %Y}")
    kinds = [
        Item("performing", Decimal(180), "180 loans", "#main", "180", "74 %", "good"),
        Item("watch", Decimal(51), "51 loans", "#main", "51", "21 %", "warn"),
        Item("loss", Decimal(14), "14 loans", "#main", "14", "5.7 %", "bad"),
    ]
    return {
        "vertical": draw_bars(months),
        "line": line,
        "horizontal": {"horizontal": draw_horizontal_bars(kinds)},
    }


def sheet(theme: str) -> dict[str, Any]:
    """Return all data for the components in one theme."""
    wrong = {f"{theme}-amount": "1,000", f"{theme}-borrowerId": ""}
    result = {"type": "declined", "rule": "score", "risk_score": 69, "credit_score": 466}
    return {
        "theme": theme,
        "form": SampleForm(prefix=theme),
        "wrong_form": SampleForm(wrong, prefix=theme, auto_id="wrong_%s"),
        "looks": ("main", "", "danger", "quiet", "small"),
        "pager": {"next_url": "#main", "first_url": "#main", "count": 50},
        "chips": chips(),
        "cards": cards(),
        "outcome": SimpleNamespace(risk_level="high", **result),
        "poll": SimpleNamespace(delay=2, elapsed=23, normal=90),
        "long_id": LONG_ID,
        "long_name": LONG_NAME,
        "rtl_name": RTL_NAME,
        "big": BIG,
        "technical": technical(),
        "moment": datetime(2026, 11, 20, 11, 2, 11, tzinfo=UTC),
        **schedule(),
        **pictures(),
    }


def technical() -> list[Leaf]:
    """Return values of a record: a short value, a long value, and the items of a list."""
    instalments = [{"startDate": f"2026-{month}-01T00:00:00.000Z"} for month in (11, 12)]
    raw = {"uid": LONG_ID, "contract": {"installments": instalments}, "note": LONG_NAME * 3}
    return list_technical(Loan(raw), ())


def _installment(month: int) -> SimpleNamespace:
    due = datetime(2026, 9, 30, 20, 59, 59, 999_000, tzinfo=UTC) + timedelta(days=30 * month)
    principal = Decimal("3435.82") + 105 * month
    amounts = SimpleNamespace(
        principal=principal,
        interest=Decimal("4335.82") - principal,
        fees=Decimal(300 if month == 0 else 0),
        penalty=Decimal(45 if month == 1 else 0),
        repayment=Decimal("4335.82"),
    )
    return SimpleNamespace(due_date=due, amounts=amounts)
