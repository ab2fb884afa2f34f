"""The known layouts of tables, recognised by their headings and never by a file's name.

Headings are compared in folded form (`fold_heading`). `name#2` is the second column with that name.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lendingadmin.desk.statements.lines import Kind

_CHARGES = "charges?|fees?|tariff|commission|frais|excise|duty|levy"
_CHARGE = rf"\b(?:{_CHARGES})\b"
_SETTLEMENT = (
    r"settle|sweep|utility to working|working to|to bank|bank[ _]transfer|merchant payout|payout|"
    r"funds? transfer to|virement|organi[sz]ation withdrawal|cash ?out"
)
_REVERSAL = (
    r"revers|refund|annul|rembours|rolled? ?back|chargeback|rvsl|\brev\b|\brtn\b|returned|unpaid|"
    r"dishono|bounced|refer to drawer|impay|contre-?passation|r(?:ü|ue)cklast|storno"
)
# Types that have one meaning even if the row names a payer: a charge, or a transfer between the
# lender's own accounts.
_ONLY_CHARGE = (
    r"^\W*(?:(?:pay ?bill|transaction|service|ledger|merchant|m-?pesa|bank|business|customer|b2c|"
    rf"c2b|organi[sz]ation)[ _-]+)*(?:{_CHARGES}|commissions|excise duty)\W*$"
)
_ONLY_SETTLEMENT = (
    r"^\W*settlements?\W*$|organi[sz]ation settlement|settlement (?:account|to bank)|sweep|"
    r"utility to |working to |pay ?outs?\b|withdrawals?\b|cash[ _-]?out"
)
_ONLY_REVERSAL = r"(?<![^\W_])(?:revers|refund|annul|rolled? ?back|chargeback)"
Rule = tuple[Kind, re.Pattern[str]]
# Types of payments that a lender makes.
_PAID_OUT = re.compile(
    r"(?i)disburs|\bb2[bc]\b|bulk|salar|remittance|withdraw|\bto (?:customer|subscriber|wallet)|"
    r"business payment"
)


def _compile(kind: Kind, pattern: str) -> Rule:
    return kind, re.compile(pattern, re.I | re.M)


_RULES: tuple[Rule, ...] = (
    _compile(Kind.REVERSAL, _REVERSAL),
    _compile(Kind.CHARGE, _CHARGE),
    _compile(Kind.SETTLEMENT, _SETTLEMENT),
)
_CERTAIN: tuple[Rule, ...] = (
    _compile(Kind.REVERSAL, _ONLY_REVERSAL),
    _compile(Kind.CHARGE, _ONLY_CHARGE),
    _compile(Kind.SETTLEMENT, _ONLY_SETTLEMENT),
)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One layout: the headings that identify it, and the meaning of each column.

    `columns` has, for each field of a line, the possible headings in order of preference. `moment`
    may be two headings joined by `+`. `sorts` are patterns that give a line its kind. They are
    searched in the operator's type column; for outgoing money, in all columns of `texts`. Incoming
    money without a match is a payment. If a row names a payer, only the patterns in `certain`
    count. If amounts have no sign, `incoming` matches the types of incoming money. `id_form` is the
    form of the receipts, if all have the same form.
    """

    key: str
    network: str
    needs: frozenset[str]
    columns: Mapping[str, Sequence[str]]
    sorts: Sequence[Rule] = _RULES
    certain: Sequence[Rule] = _CERTAIN
    incoming: re.Pattern[str] | None = None
    id_form: re.Pattern[str] = re.compile(r".+")
    day_first: bool | None = None
    is_utc: bool = False
    has_unique_ids: bool = True
    texts: Sequence[str] = ("type", "details", "payer")

    def find_side(self, kind: str) -> bool | None:
        """Return True for a type of incoming money, False for outgoing money; None if unknown."""
        if _PAID_OUT.search(kind) or any(pattern.search(kind) for _kind, pattern in self.certain):
            return False
        return True if self.incoming and self.incoming.search(kind) else None


def _needs(words: str) -> frozenset[str]:
    return frozenset(words.split(" · "))


_MPESA_ORGANISATION = Layout(
    key="mpesa-organisation",
    network="M-PESA",
    needs=_needs("receipt no. · completion time · transaction status · paid in"),
    columns={
        "receipt": ("receipt no.", "receipt"),
        "moment": ("completion time", "date"),
        "details": ("details",),
        "status": ("transaction status", "status"),
        "paid_in": ("paid in",),
        "paid_out": ("withdrawn",),
        "balance": ("balance",),
        "type": ("reason type", "transaction type"),
        "payer": ("other party info", "opposite party", "transaction party details"),
        "reference": ("a/c no.",),
        "reverses": ("linked transaction id",),
        "currency": ("currency",),
    },
    sorts=(_compile(Kind.CHARGE, r"^\s*SP\s*$"), *_RULES),
    id_form=re.compile(r"(?i)[A-Z0-9]{10}"),
    day_first=True,
)
_AIRTEL_MONEY = Layout(
    key="airtel-money",
    network="Airtel Money",
    needs=_needs("record no · transaction id · transaction amount · transaction status"),
    columns={
        "receipt": ("transaction id",),
        "moment": ("transaction date & time", "transaction date and time"),
        "status": ("transaction status",),
        "amount": ("transaction amount",),
        "reference": ("reference no.", "reference no"),
        "payer": ("payer name", "sender name"),
        "phone": ("payer msisdn", "sender msisdn", "payer mobile number"),
        "type": ("transaction type", "service type", "service name"),
        "balance": ("post balance", "balance"),
    },
    sorts=(
        _compile(Kind.SETTLEMENT, r"\bMP\b|sweep"),
        _compile(Kind.CHARGE, r"\bSCP\b|charge"),
        _compile(Kind.REVERSAL, _REVERSAL),
    ),
    # An operator's own codes.
    certain=(
        _compile(Kind.SETTLEMENT, r"^\W*MP\b"),
        _compile(Kind.CHARGE, r"^\W*SCP\b"),
        *_CERTAIN,
    ),
    incoming=re.compile(
        r"(?i)^\W*MR\b|merchant payment|collection|c2b|pay ?bill|deposit|cash ?in|customer payment"
    ),
    id_form=re.compile(r"[\w.]*\d[\w.]*"),
    texts=("type", "reference"),
)

LAYOUTS = (
    replace(
        _MPESA_ORGANISATION,
        key="telecel-cash",
        network="Telecel Cash",
        needs=_needs("receipt no. · completion time · transaction status · opposite party"),
        id_form=re.compile(r"\d+"),
        day_first=None,
    ),
    _MPESA_ORGANISATION,
    replace(
        _MPESA_ORGANISATION,
        key="mpesa-organisation-2010",
        needs=_needs("receipt · date · details · status · withdrawn · paid in · balance"),
        id_form=re.compile(r"(?i)[A-Z0-9]{8,10}"),
        day_first=None,
    ),
    Layout(
        key="mpesa-callbacks",
        network="M-PESA",
        needs=_needs("transid · transtime · transamount · businessshortcode"),
        columns={
            "receipt": ("transid",),
            "moment": ("transtime",),
            "amount": ("transamount",),
            "reference": ("billrefnumber",),
            "phone": ("msisdn",),
            "payer": ("firstname+middlename+lastname", "firstname"),
            "account": ("businessshortcode",),
            # `orgaccountbalance` proves nothing, because charges change it and have no rows.
            "type": ("transactiontype",),
        },
        incoming=re.compile(r"(?i)pay ?bill|buy ?goods|customer|merchant|lipa|c2b"),
        id_form=re.compile(r"(?i)[A-Z0-9]{10}"),
    ),
    Layout(
        key="mtn-momo",
        network="MTN MoMo",
        needs=_needs("id · external id · date · status · type · from · to message · amount"),
        columns={
            "receipt": ("id",),
            "moment": ("date",),
            "status": ("status",),
            "type": ("type",),
            "phone": ("from",),
            "payer": ("from name",),
            "reference": ("to message", "external id"),
            "amount": ("amount",),
            "balance": ("balance",),
            "currency": ("currency#2", "currency"),
            "account": ("to",),
        },
        id_form=re.compile(r"\d+"),
        texts=("type",),
    ),
    _AIRTEL_MONEY,
    replace(
        _AIRTEL_MONEY,
        key="airtel-money-user",
        needs=_needs("s. no. · transaction id · sender msisdn · transaction amount · service name"),
        columns={
            "receipt": ("transaction id",),
            "moment": ("transaction date and time", "transaction date & time"),
            "status": ("transaction status",),
            "amount": ("transaction amount",),
            "phone": ("sender msisdn",),
            "type": ("transaction type",),
            "details": ("service name",),
        },
        texts=("type", "details", "payer"),
    ),
    Layout(
        key="wave",
        network="Wave",
        needs=_needs("timestamp · transaction_id · transaction_type · amount · fee"),
        columns={
            "receipt": ("transaction_id",),
            "moment": ("timestamp",),
            "type": ("transaction_type",),
            "amount": ("amount",),
            "fee": ("fee",),
            "balance": ("balance",),
            "currency": ("currency",),
            "phone": ("counterparty_mobile",),
            "payer": ("counterparty_name",),
            "reference": ("client_reference",),
        },
        texts=("type",),
    ),
    Layout(
        key="wave-french",
        network="Wave",
        needs=_needs("horodatage · identifiant de transaction · type de transaction · montant"),
        columns={
            "receipt": ("identifiant de transaction",),
            "moment": ("horodatage",),
            "type": ("type de transaction",),
            "amount": ("montant",),
            "fee": ("frais",),
            "balance": ("solde",),
            "currency": ("devise",),
            "phone": ("numéro de téléphone de contrepartie", "numéro de téléphone", "numéro"),
            "payer": ("nom de contrepartie", "nom"),
            "reference": ("référence client", "référence"),
        },
        texts=("type",),
    ),
    Layout(
        key="orange-money",
        network="Orange Money",
        needs=_needs("n° · date · heure · référence · statut · débit · crédit"),
        columns={
            "receipt": ("référence",),
            "moment": ("date+heure",),
            "status": ("statut",),
            "type": ("service",),
            "paid_in": ("crédit",),
            "paid_out": ("débit",),
            "phone": ("n° de compte",),
            "payer": ("n° pseudo",),
        },
        texts=("type",),
        day_first=True,
    ),
    Layout(
        key="pawapay",
        network="pawaPay",
        needs=_needs("creation date (utc) · msisdn · transaction id · amount · mno · type"),
        columns={
            "receipt": ("transaction id",),
            "moment": ("creation date (utc)",),
            "amount": ("amount",),
            "currency": ("currency",),
            "phone": ("msisdn",),
            "type": ("type",),
            "status": ("status",),
            "reference": ("statement description", "reference"),
        },
        is_utc=True,
        texts=("type",),
        incoming=re.compile(r"(?i)deposit|collection"),
    ),
    Layout(
        key="bank-account",
        network="",
        needs=_needs("transaction date · value date · narrative · debit · credit"),
        columns={
            "receipt": ("reference",),
            "moment": ("transaction date",),
            "details": ("narrative",),
            "paid_in": ("credit",),
            "paid_out": ("debit",),
            "balance": ("running balance", "balance"),
            "currency": ("currency",),
        },
        texts=("details",),
        has_unique_ids=False,
    ),
)

_WORDS = frozenset().union(*(layout.needs for layout in LAYOUTS))


# Headings of columns in which a payer or an operator writes the purpose of a payment.
_REFERENCE = re.compile(
    r"\br[eé]f|reference|message|external id|invoice|facture|\bbill|"
    r"narrati|descri|details|remark|comment|\bnotes?\b|motif|libell[eé]|purpose|memo|particular|"
    r"kumbukumbu|maelezo|"
    r"\ba/?c\b|account no|account num|\bloan|pr[eê]t\b"
)


def is_reference(heading: str, layout: Layout) -> bool:
    """Return True if a column with this heading may name a loan.

    The layout may ignore the column.
    """
    return heading in layout.columns.get("reference", ()) or bool(_REFERENCE.search(heading))


def fold_heading(text: str) -> str:
    """Return a heading in the form that is compared: in lower case, with single spaces."""
    return re.sub(r"[\s\u00a0]+", " ", text).strip().strip(":").casefold()


def count_known(row: Sequence[str]) -> int:
    """Return the number of cells in a row that are headings of a known layout."""
    return len(_WORDS.intersection(map(fold_heading, row)))


def find_layout(row: Sequence[str]) -> Layout | None:
    """Return the layout whose needed headings a row has; None if none fits.

    If several fit, return the layout that needs the most headings.
    """
    held = set(map(fold_heading, row))
    fitting = [layout for layout in LAYOUTS if layout.needs <= held]
    return max(fitting, key=lambda layout: len(layout.needs), default=None)
