"""The columns of each CSV: the API's own names, dotted where a field lies in another.

A cell is what came, to the last digit; a list or an object is its JSON (Spec: Resources and their
fields).
"""

from collections.abc import Callable, Mapping
from itertools import groupby

from lendingadmin.lending.values import Individual, Malformed, Value

_STORED = ("uid", "name", "createdAt")
_BALANCES = tuple(
    f"balances.{part}.{amount}"
    for part in ("principal", "interest", "fees", "penalty", "repayment")
    for amount in ("total", "due", "paid", "unpaid", "overdue")
)
_INDIVIDUAL = tuple(
    f"individual.{key}"
    for key in Individual.api_names.values()
    if key not in ("fingerprints", "photos")
)

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "borrowers.list": (
        "borrowerId", "borrowerNo", "category", "status", "startDate",
        *_INDIVIDUAL, "company", "settings", *_STORED,
    ),
    "loans.list": (
        "accountId", "accountNo", "loanType", "borrowerId", "lenderId", "category", "sequenceNo",
        "productId", "loanAmount", "startDate", "maturityDate", "settlementDate", "status",
        "performanceStatus", *_BALANCES, "schedule.daysLate", "result.type", "result.reason",
        "result.message", "assessmentId", "appVersionId", "requestId", "settings", "labels",
        *_STORED,
    ),
    "assessments.list": (
        "assessmentId", "accountId", "assessmentType", "timestamp", "status", "result.type",
        "result.reason", "result.message", "result.rule", "result.riskLevel", "result.riskScore",
        "result.creditScore", "result.creditRating", "appVersionId", "requestId", *_STORED,
    ),
    "products.list": (
        "productId", "productType", "status", "displayName", "displayPriority", "description",
        "skuId", "terms.period", "terms.repaymentInterval", "terms.interest.type",
        "terms.interest.termPeriod", "terms.interest.baseRate", "terms.interest.maxEffectiveRate",
        "terms.interest.riskPremiumRate", "charges", "labels", *_STORED,
    ),
    "assessmentTypes.list": (
        "assessmentTypeId", "category", "period", "status", "displayName", "description",
        "settings.apps.channels", "settings.apps.platforms", "settings.accounts.categories",
        "settings.accounts.accountTypes", *_STORED,
    ),
}  # fmt: skip

# The last column of lists whose records belong to a borrower: the name, from the index of people.
NAME = "borrowerName"
# The field of such a record that holds the borrower's id or account id.
BORROWERS: Mapping[str, str] = {"loans.list": "borrowerId", "assessments.list": "accountId"}


def head_of(operation: str) -> tuple[str, ...]:
    """The first row of the CSV of this list."""
    return (*COLUMNS[operation], *([NAME] if operation in BORROWERS else []))


def keys_of(operation: str) -> tuple[str, ...]:
    """The keys of an item that its columns lie under: all that has to be read of it."""
    return tuple(dict.fromkeys(column.partition(".")[0] for column in COLUMNS[operation]))


def make_row_builder(operation: str) -> Callable[[Value | Malformed], list[object]]:
    """What makes a row of an item of this list; an item that is no object is one cell.

    Where the path to a field ends early, what stands there is left in its place.
    """
    places = [column.rpartition(".") for column in COLUMNS[operation]]
    # Fields of the same object stand together, so that the path to it is walked once.
    groups = [
        (parent.split(".") if parent else [], [name for *_, name in fields])
        for parent, fields in groupby(places, key=lambda place: place[0])
    ]

    def row(item: Value | Malformed) -> list[object]:
        if isinstance(item, Malformed):
            return [item]
        cells: list[object] = []
        for path, names in groups:
            found: object = item.raw
            for key in path:
                found = found.get(key) if isinstance(found, dict) else found
            if isinstance(found, dict):
                cells += [found.get(name) for name in names]
            else:
                cells += [found] * len(names)
        return cells

    return row
