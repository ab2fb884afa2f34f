"""Columns of each CSV: the API's names, with dots for nested fields, and words.

A value is exported as received, with all digits. A list or an object is exported as JSON (Spec:
Resources and their fields). A column without a name in words is only in the technical export.
"""

from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

from django.utils.translation import gettext_lazy as _

from lendingadmin.lending.values import Individual, Malformed, Value
from lendingadmin.records.borrowers.fields import list_fields
from lendingadmin.web.display.statuses import assessment_type, processing
from lendingadmin.web.display.templatetags import statuses
from lendingadmin.web.exports import (
    Column,
    in_currency,
    name_columns,
    write_day,
    write_moment,
    write_performance,
    write_rate,
    write_status,
)

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

# The first column of lists whose records belong to a borrower: the name, from the index of people.
NAME = "borrowerName"
# The field of such a record that holds the borrower's id or account id.
BORROWERS: Mapping[str, str] = {"loans.list": "borrowerId", "assessments.list": "accountId"}


_MADE = (_("Created"), write_moment)
_NAME = _("Borrower name")
WORDS: Mapping[str, Mapping[str, Any]] = {
    "borrowers.list": {
        "borrowerId": _("Borrower"),
        "category": _("Category"),
        "status": (_("Status"), write_status(statuses.borrower_status)),
        "startDate": (_("Since"), write_day),
        **{
            f"individual.{field.name}": (field.label, write_day)
            if field.kind == "day"
            else field.label
            for field in list_fields("individual")
        },
        "createdAt": _MADE,
    },
    "loans.list": {
        "accountId": _("Loan"),
        "loanType": _("Type"),
        "borrowerId": _("Borrower"),
        NAME: _NAME,
        "productId": _("Product"),
        "loanAmount": in_currency(_("Principal")),
        "startDate": (_("Start"), write_day),
        "maturityDate": (_("Matures"), write_day),
        "settlementDate": (_("Settled"), write_day),
        "status": (_("Status"), write_status(statuses.loan_status)),
        "performanceStatus": (
            _("Performance"),
            write_performance,
            ("status", "settlementDate"),
        ),
        "balances.principal.unpaid": in_currency(_("Outstanding principal")),
        "balances.repayment.due": in_currency(_("Due")),
        "balances.repayment.paid": in_currency(_("Paid")),
        "balances.repayment.unpaid": in_currency(_("Outstanding")),
        "balances.repayment.overdue": in_currency(_("Overdue")),
        "schedule.daysLate": _("Days late"),
        "createdAt": _MADE,
    },
    "assessments.list": {
        "assessmentId": _("Assessment"),
        "accountId": _("Account"),
        NAME: _NAME,
        "assessmentType": _("Type"),
        "timestamp": (_("Data up to"), write_moment),
        "status": (_("Status"), write_status(processing)),
        "result.type": _("Result"),
        "result.reason": _("Reason"),
        "result.message": _("Message"),
        "result.riskLevel": _("Risk"),
        "result.riskScore": _("Risk score"),
        "result.creditScore": _("Credit score"),
        "result.creditRating": _("Credit rating"),
        "createdAt": _MADE,
    },
    "products.list": {
        "productId": _("Product"),
        "productType": _("Type"),
        "status": (_("Status"), write_status(statuses.product_status)),
        "displayName": _("Name"),
        "description": _("Description"),
        "terms.period": _("Runs for"),
        "terms.repaymentInterval": _("Instalment every"),
        "terms.interest.termPeriod": _("Rates are for"),
        "terms.interest.baseRate": (_("Base rate (%)"), write_rate),
        "terms.interest.riskPremiumRate": (_("Risk premium (%)"), write_rate),
        "createdAt": _MADE,
    },
    "assessmentTypes.list": {
        "assessmentTypeId": _("Assessment type"),
        "category": _("Category"),
        "status": (_("Status"), write_status(assessment_type)),
        "displayName": _("Name"),
        "description": _("Description"),
        "createdAt": _MADE,
    },
}


def head_of(operation: str) -> tuple[Column, ...]:
    """Return the columns for the export of this list."""
    names = (*([NAME] if operation in BORROWERS else []), *COLUMNS[operation])
    words = WORDS[operation]
    return name_columns({name: words.get(name, "") for name in names})


def keys_of(operation: str) -> tuple[str, ...]:
    """Return the keys of an item that the columns need. Other keys are not read."""
    return tuple(dict.fromkeys(column.partition(".")[0] for column in COLUMNS[operation]))


def make_row_builder(operation: str) -> Callable[[Value | Malformed], list[object]]:
    """Return a function that makes a row from an item. A malformed item becomes one cell.

    If the path to a field ends early, the last value on the path is used.
    """
    places = [column.rpartition(".") for column in COLUMNS[operation]]
    # Fields of the same object are together, so that the object is looked up only once.
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
