"""The four roles and the rights of each.

Rights `lending.…` have the names of the service's permissions (Spec: Scopes and permissions).
Rights `dashboard.…` exist only in this dashboard. The words of a right complete the sentence “you
may …” on the page that refuses a request.

Each group of a borrower's fields has its own right. A person sees only the data that the work of
the role needs (`web/masking.py` hides the rest):

- A viewer sees the complete portfolio without these groups, with initials instead of names.
- Support calls people and records payments, so support sees names, contacts and notes. An officer
  has checked the borrower's identity, so support needs no government id and no birth date.
- An officer checks the identity of borrowers, registers them and corrects their data. A manager is
  responsible for this and resolves errors. Both see all groups of the record.
- The content of an event (messages, contacts, places) is about private matters of the borrower and
  of other people. No role sees this content directly. Officers and managers reveal the content of
  one event at a time, for a purpose that the audit trail names.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

VIEWER, OFFICER, SUPPORT, MANAGER = ROLES = (
    _("viewer"),
    _("officer"),
    _("support"),
    _("manager"),
)

#: Purpose of each role, in words that complete “a person who …”.
ROLE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        VIEWER: _("sees everything except personal content"),
        OFFICER: _("registers borrowers, creates loans, starts assessments, requests offers"),
        SUPPORT: _("records repayments, prints and exports"),
        MANAGER: _(
            "has the rights of the other roles, resolves repayments that need checking, sees "
            "the audit trail, manages people"
        ),
    }
)

_LENDERS = (OFFICER, MANAGER)
_COLLECTORS = (SUPPORT, MANAGER)
_WRITERS = (OFFICER, SUPPORT, MANAGER)
_MANAGERS = (MANAGER,)
_NOBODY = ()


class Right(NamedTuple):
    """A right: the name of its permission, its words, and the roles that have the right."""

    name: str
    words: str
    roles: tuple[str, ...]


_RIGHTS = (
    Right("lending.borrowers.list", _("list borrowers"), ROLES),
    Right("lending.borrowers.create", _("add borrowers"), _LENDERS),
    Right("lending.borrowers.get", _("see a borrower"), ROLES),
    Right("lending.borrowers.patch", _("change borrowers"), _LENDERS),
    Right("lending.borrowers.delete", _("delete borrowers"), _MANAGERS),
    Right("lending.borrowers.getOffers", _("request offers"), _LENDERS),
    Right("lending.borrowers.getOfferContracts", _("see an offer's contracts"), ROLES),
    Right("dashboard.borrowers.search", _("search borrowers by name, phone or number"), _WRITERS),
    Right(
        "dashboard.borrowers.names",
        _("see the names of borrowers next to the borrowers' ids"),
        _WRITERS,
    ),
    Right("dashboard.borrowers.contact", _("see phone numbers and e-mail addresses"), _WRITERS),
    Right(
        "dashboard.borrowers.identity",
        _("see government ids, birth dates and other details of borrowers"),
        _LENDERS,
    ),
    Right("lending.loans.list", _("list loans"), ROLES),
    Right("lending.loans.create", _("create loans"), _LENDERS),
    Right("lending.loans.get", _("see a loan"), ROLES),
    Right("lending.loans.delete", _("delete loans"), _MANAGERS),
    Right("lending.loans.makeRepayment", _("record repayments"), _COLLECTORS),
    Right("lending.assessments.list", _("list assessments"), ROLES),
    Right("lending.assessments.create", _("start assessments"), _LENDERS),
    Right("lending.assessments.get", _("see an assessment"), ROLES),
    Right("lending.products.list", _("list products"), ROLES),
    Right("lending.events.list", _("list events"), ROLES),
    Right("lending.events.create", _("record events"), _LENDERS),
    Right("dashboard.events.content", _("see the content of events"), _NOBODY),
    Right("lending.assessmentTypes.list", _("list assessment types"), ROLES),
    Right("dashboard.repayments.resolve", _("resolve a repayment that needs checking"), _MANAGERS),
    Right("dashboard.repayments.approve", _("approve repayments above a limit"), _MANAGERS),
    Right("dashboard.repayments.setAside", _("set a repayment aside"), _MANAGERS),
    Right("dashboard.repayments.reportMistake", _("report a mistake in a repayment"), _WRITERS),
    Right("dashboard.repayments.reviewMistake", _("review a reported mistake"), _MANAGERS),
    Right("dashboard.repayments.notes", _("read notes and reasons of repayments"), _WRITERS),
    Right("dashboard.repayments.statement", _("export statements of repayments"), _COLLECTORS),
    Right("dashboard.notes.read", _("read notes about borrowers and loans"), _WRITERS),
    Right("dashboard.notes.write", _("write notes about borrowers and loans"), _WRITERS),
    Right("dashboard.notes.delete", _("delete notes of other people"), _MANAGERS),
    Right(
        "dashboard.statements.read",
        _("upload and read statements of operators and banks"),
        _COLLECTORS,
    ),
    Right(
        "dashboard.collections.call",
        _("call borrowers and see results and promises"),
        _WRITERS,
    ),
    Right(
        "dashboard.collections.decide",
        _("decide disputes, hardship and promises"),
        _MANAGERS,
    ),
    Right(
        "dashboard.collections.manageQueues",
        _("create call queues and choose who works on them"),
        _MANAGERS,
    ),
    Right("dashboard.assignments.change", _("choose the officer of a borrower"), _MANAGERS),
    Right(
        "dashboard.assignments.handOver",
        _("hand over their own borrowers while away"),
        _WRITERS,
    ),
    Right("dashboard.sheets.read", _("see collection sheets"), _WRITERS),
    Right("dashboard.sheets.make", _("make and print collection sheets"), _WRITERS),
    Right("dashboard.sheets.cancel", _("cancel printed collection sheets"), _MANAGERS),
    Right("dashboard.papers.make", _("make and print papers for customers"), _WRITERS),
    Right("dashboard.personalContent.reveal", _("reveal personal content"), _LENDERS),
    Right("dashboard.export", _("export"), _WRITERS),
    Right(
        "dashboard.borrowers.exportKept",
        _("export all data about a borrower"),
        _MANAGERS,
    ),
    Right("dashboard.portfolio.count", _("update the portfolio"), _WRITERS),
    Right("dashboard.loanLists.share", _("save lists of loans for everybody"), _MANAGERS),
    Right("dashboard.audit.view", _("see the audit trail"), _MANAGERS),
    Right("dashboard.policies.change", _("change the settings of a lending app"), _MANAGERS),
    Right("dashboard.developer", _("see calls to the service and enter JSON"), _MANAGERS),
    Right("dashboard.people.manage", _("manage people"), _MANAGERS),
)

RIGHTS: Mapping[str, Right] = MappingProxyType({right.name: right for right in _RIGHTS})

# Headings for the rights of a person, with the beginnings of permission names. A right is under the
# heading with the longest beginning that fits.
_AREAS = (
    (_("Borrowers"), ("lending.borrowers.", "dashboard.borrowers.", "dashboard.personalContent.")),
    (
        _("Loans"),
        (
            *("lending.loans.", "dashboard.loanLists.", "dashboard.portfolio."),
            "dashboard.papers.",
        ),
    ),
    (
        _("Repayments"),
        ("lending.loans.makeRepayment", "dashboard.repayments.", "dashboard.statements."),
    ),
    (_("Notes"), ("dashboard.notes.",)),
    (_("Collections"), ("dashboard.collections.", "dashboard.assignments.", "dashboard.sheets.")),
    (_("Offers"), ("lending.borrowers.getOffer",)),
    (_("Assessments"), ("lending.assessments.", "lending.assessmentTypes.")),
    (_("Products and events"), ("lending.products.", "lending.events.", "dashboard.events.")),
    (_("Office"), ("dashboard.",)),
)

MANAGE_PEOPLE = "dashboard.people.manage"
REVEAL = "dashboard.personalContent.reveal"
SEARCH_BORROWERS = "dashboard.borrowers.search"
SEE_NAMES = "dashboard.borrowers.names"
SEE_CONTACT = "dashboard.borrowers.contact"
SEE_IDENTITY = "dashboard.borrowers.identity"
SEE_EVENT_CONTENT = "dashboard.events.content"
READ_NOTES = "dashboard.repayments.notes"
NOTES_READ, NOTES_WRITE = "dashboard.notes.read", "dashboard.notes.write"
DELETE_NOTES = "dashboard.notes.delete"
MAKE_PAPERS = "dashboard.papers.make"
EXPORT_KEPT = "dashboard.borrowers.exportKept"
CHANGE_POLICIES = "dashboard.policies.change"
VIEW_AUDIT = "dashboard.audit.view"
# Right to see calls to the service, and to see and enter records as JSON.
DEVELOPER = "dashboard.developer"


def list_codenames(app_label: str) -> list[tuple[str, str]]:
    """Return the rights under one label for Django's `Meta.permissions`: (codename, words)."""
    return [
        (right.name.removeprefix(f"{app_label}."), right.words)
        for right in _RIGHTS
        if right.name.startswith(f"{app_label}.")
    ]


def list_role_rights(role: str) -> frozenset[str]:
    """Return the permission names of a role; empty if the role is not one of the four."""
    return frozenset(right.name for right in _RIGHTS if role in right.roles)


def describe_roles(permission: str) -> str:
    """Return the roles with a permission: “officer or manager”. Raise KeyError if it is unknown."""
    if not RIGHTS[permission].roles:
        return gettext("with this right")
    *others, last = map(gettext, RIGHTS[permission].roles)
    if not others:
        return last
    return gettext("%(others)s or %(last)s") % {"others": ", ".join(others), "last": last}


def join_names(names: Iterable[str]) -> str:
    """Return the names of roles in words, built-in roles first: “support, night desk”."""
    held = set(names)
    return ", ".join([*(x for x in ROLES if x in held), *sorted(held.difference(ROLES))])


def sort_rights(names: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Return the rights in words, by area: “Loans”, [“list loans”, “see a loan”].

    Names that are not rights are left out.
    """
    found: dict[str, list[str]] = {}
    held = set(names)
    for right in _RIGHTS:
        if right.name in held:
            found.setdefault(_find_area(right.name), []).append(gettext(right.words))
    return [(gettext(area), found[area]) for area, _starts in _AREAS if area in found]


def describe_group(name: str, held: Iterable[str]) -> str:
    """Return the purpose of a built-in role, or the rights of another role, in words."""
    if name in ROLE_WORDS:
        return gettext(ROLE_WORDS[name])
    words = [gettext(right.words) for right in _RIGHTS if right.name in set(held)]
    return ", ".join(words) or gettext("no rights yet")


def _find_area(name: str) -> str:
    fitting = [
        (start, area) for area, starts in _AREAS for start in starts if name.startswith(start)
    ]
    return max(fitting, key=lambda one: len(one[0]))[1]
