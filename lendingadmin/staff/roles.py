"""The four roles and what each may do.

Rights named `lending.…` are the service's own permission names (Spec: Scopes and permissions);
rights named `dashboard.…` exist only here. Each right carries the words that complete “you may …”,
for the page that refuses.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

VIEWER, OFFICER, SUPPORT, MANAGER = ROLES = ("viewer", "officer", "support", "manager")

_LENDERS = (OFFICER, MANAGER)
_COLLECTORS = (SUPPORT, MANAGER)
_WRITERS = (OFFICER, SUPPORT, MANAGER)
_MANAGERS = (MANAGER,)


class Right(NamedTuple):
    """One thing that a person may do: its permission name, its words, the roles that hold it."""

    name: str
    words: str
    roles: tuple[str, ...]


_RIGHTS = (
    Right("lending.borrowers.list", "list borrowers", ROLES),
    Right("lending.borrowers.create", "add borrowers", _LENDERS),
    Right("lending.borrowers.get", "see a borrower", ROLES),
    Right("lending.borrowers.patch", "change borrowers", _LENDERS),
    Right("lending.borrowers.delete", "delete borrowers", _MANAGERS),
    Right("lending.borrowers.getOffers", "ask for offers", _LENDERS),
    Right("lending.borrowers.getOfferContracts", "see an offer's contracts", ROLES),
    Right("lending.loans.list", "list loans", ROLES),
    Right("lending.loans.create", "create loans", _LENDERS),
    Right("lending.loans.get", "see a loan", ROLES),
    Right("lending.loans.delete", "delete loans", _MANAGERS),
    Right("lending.loans.makeRepayment", "record repayments", _COLLECTORS),
    Right("lending.assessments.list", "list assessments", ROLES),
    Right("lending.assessments.create", "start assessments", _LENDERS),
    Right("lending.assessments.get", "see an assessment", ROLES),
    Right("lending.products.list", "list products", ROLES),
    Right("lending.events.list", "list events", ROLES),
    Right("lending.events.create", "record events", _LENDERS),
    Right("lending.assessmentTypes.list", "list assessment types", ROLES),
    Right("dashboard.repayments.resolve", "resolve an unknown repayment", _MANAGERS),
    Right("dashboard.repayments.setAside", "set a repayment aside", _MANAGERS),
    Right("dashboard.repayments.reportMistake", "report a mistake in a repayment", _WRITERS),
    Right("dashboard.repayments.reviewMistake", "review a reported mistake", _MANAGERS),
    Right("dashboard.repayments.statement", "make statements of repayments", _COLLECTORS),
    Right("dashboard.personalContent.reveal", "reveal personal content", _LENDERS),
    Right("dashboard.export", "export", _WRITERS),
    Right("dashboard.portfolio.count", "have the book counted", _WRITERS),
    Right("dashboard.audit.view", "see the audit trail", _MANAGERS),
    Right("dashboard.apiCalls.view", "see calls to the lending service", _MANAGERS),
    Right("dashboard.people.manage", "manage people", _MANAGERS),
)

RIGHTS: Mapping[str, Right] = MappingProxyType({right.name: right for right in _RIGHTS})

MANAGE_PEOPLE = "dashboard.people.manage"
VIEW_AUDIT = "dashboard.audit.view"


def list_codenames(app_label: str) -> list[tuple[str, str]]:
    """The rights under one label, in the form of Django's `Meta.permissions`: (codename, words)."""
    return [
        (right.name.removeprefix(f"{app_label}."), right.words)
        for right in _RIGHTS
        if right.name.startswith(f"{app_label}.")
    ]


def list_rights(role: str) -> frozenset[str]:
    """The permission names that a role holds; empty for a role that is not one of the four."""
    return frozenset(right.name for right in _RIGHTS if role in right.roles)


def describe_roles(permission: str) -> str:
    """Who holds a permission: “officer or manager”. Raises KeyError for an unknown name."""
    *others, last = RIGHTS[permission].roles
    return f"{', '.join(others)} or {last}" if others else last
