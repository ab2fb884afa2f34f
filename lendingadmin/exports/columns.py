"""The columns of each CSV: the API's own names, dotted where a field lies in another.

A cell is what came, to the last digit; a list or an object is its JSON (Spec: Resources and their
fields).
"""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal

import simplejson

from lendingadmin.lending.values import Odd, Value

_STORED = ("uid", "name", "createdAt")
_BALANCES = tuple(
    f"balances.{part}.{amount}"
    for part in ("principal", "interest", "fees", "penalty", "repayment")
    for amount in ("total", "due", "paid", "unpaid", "overdue")
)
_INDIVIDUAL = tuple(
    f"individual.{name}"
    for name in (
        "surname",
        "othernames",
        "dateOfBirth",
        "sex",
        "governmentIdNo",
        "countryOfResidence",
        "emailAddress",
        "phoneNumber",
        "employmentStatus",
        "maritalStatus",
        "educationLevel",
        "noOfDependants",
    )
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


def row_of(operation: str) -> Callable[[Value | Odd], Iterable[object]]:
    """What makes a row of an item of this list; an item that is no object is one cell."""
    paths = [tuple(column.split(".")) for column in COLUMNS[operation]]

    def row(item: Value | Odd) -> Iterable[object]:
        if isinstance(item, Odd):
            return [str(item)]
        raw = item.raw
        return [_cell(_at(raw, path)) for path in paths]

    return row


def _at(value: object, path: tuple[str, ...]) -> object:
    """What stands at a path. Where the way ends early, what stands there is left in its place."""
    for key in path:
        if not isinstance(value, Mapping):
            return value
        value = value.get(key)
    return value


def _cell(value: object) -> object:
    if value is None or isinstance(value, str | Decimal):
        return value
    if isinstance(value, bool | Mapping | list):
        return simplejson.dumps(value, use_decimal=True, ensure_ascii=False)
    # A number that is no text: a sign in front of it begins no formula.
    return Decimal(value) if isinstance(value, int) else str(value)
