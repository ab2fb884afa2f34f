"""Words of the audit trail: the name of each action and outcome, as pages show it.

The database stores the names that code and filters use, not the words. So the words may change, and
old entries then show the new words.
"""

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from lendingadmin.core.audit.models import Entry

# In the order in which the filter offers them.
ACTIONS: Mapping[str, str] = MappingProxyType(
    {
        "loans.makeRepayment": _("Recorded a repayment"),
        "receipt": _("Opened a receipt to print it"),
        "dashboard.repayments.reportMistake": _("Reported a mistake"),
        "dashboard.repayments.reviewMistake": _("Reviewed a reported mistake"),
        "dashboard.repayments.countCash": _("Counted cash"),
        "dashboard.statements.read": _("Uploaded or read a statement"),
        "dashboard.statements.record": _("Recorded a statement"),
        "dashboard.statements.place": _("Allocated a payment of a statement"),
        "dashboard.statements.keepPayer": _("Saved or removed a link between a payer and a loan"),
        "dashboard.collections.call": _("Called a borrower"),
        "dashboard.collections.decide": _("Decided on a promise, or allowed calls again"),
        "dashboard.collections.manageQueues": _("Changed a call queue"),
        "dashboard.assignments.change": _("Changed the officer of borrowers"),
        "dashboard.assignments.handOver": _("Handed borrowers over, or ended a hand-over"),
        "dashboard.restored": _("Ended the check after the database was restored"),
        "dashboard.sheets.make": _("Made a collection sheet"),
        "dashboard.sheets.return": _("Entered amounts of a collection sheet"),
        "dashboard.sheets.cancel": _("Cancelled a collection sheet"),
        "dashboard.papers.make": _("Made a paper for a customer"),
        "lending.borrowers.get": _("Opened a borrower"),
        "borrowers.create": _("Registered a borrower"),
        "borrowers.patch": _("Changed a borrower"),
        "borrowers.delete": _("Deleted a borrower"),
        "borrowers.getOffers": _("Requested an offer"),
        "loans.create": _("Created a loan"),
        "loans.delete": _("Deleted a loan"),
        "assessments.create": _("Started an assessment"),
        "events.create": _("Recorded an event"),
        "dashboard.personalContent.reveal": _("Revealed personal content"),
        "dashboard.borrowers.search": _("Searched borrowers"),
        "dashboard.borrowers.massReading": _("Opened an unusual number of borrowers"),
        "dashboard.borrowers.erase": _("Erased data of a borrower"),
        "dashboard.borrowers.exportKept": _("Exported all data of a borrower"),
        "dashboard.notes.write": _("Wrote a note"),
        "dashboard.export": _("Exported"),
        "dashboard.loanLists.share": _("Shared a list of loans"),
        "dashboard.portfolio.count": _("Updated the portfolio"),
        "dashboard.policies.change": _("Changed a setting of a lending app"),
        "access": _("Tried to open a page without the right to see it"),
        "sign-in": _("Signed in"),
        "sign-out": _("Signed out"),
        "password": _("Chose a password"),
        "second factor": _("Changed their own two-step sign-in"),
        "people": _("Changed a person's account"),
        "people.setupLink": _("Made a set-up link"),
        "people.password": _("Required a new password from a person"),
        "people.sessions": _("Ended a person's sessions"),
        "people.secondFactor": _("Removed a person's two-step sign-in"),
        "people.profile": _("Changed their own profile"),
        "groups": _("Changed a role"),
        "command": _("Ran a command on the server"),
    }
)

# Actions whose words depend on the outcome.
_BY_OUTCOME: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("dashboard.restored", "suspected"): _("Found that the database may be an older copy"),
        ("dashboard.restored", "not restored"): _("Confirmed that the database was not restored"),
        ("sign-in", "refused"): _("Tried to sign in"),
        ("sign-out", "idle"): _("Was signed out after half an hour without activity"),
        ("sign-out", "over"): _("Was signed out at the time limit of a session"),
        # The outcome as it was stored before the length became a setting.
        ("sign-out", "after 12 hours"): _("Was signed out after twelve hours"),
        ("sign-in", "held back"): _("Tried to sign in too often"),
        ("dashboard.sheets.make", "opened for printing"): _(
            "Opened a collection sheet to print it"
        ),
        ("dashboard.sheets.make", "opened for reprinting"): _(
            "Opened a collection sheet to print it again"
        ),
        ("dashboard.papers.make", "started in bulk"): _("Started papers in bulk"),
        ("dashboard.papers.make", "opened for printing"): _("Opened a paper to print it"),
        ("dashboard.papers.make", "opened for reprinting"): _("Opened a paper to print it again"),
        ("dashboard.sheets.return", "typed again"): _(
            "Entered amounts of a collection sheet again"
        ),
        ("receipt", "opened for reprinting"): _("Opened a receipt to print it again"),
        ("dashboard.notes.write", "revised"): _("Revised a note"),
        ("dashboard.notes.write", "deleted"): _("Deleted a note"),
        ("dashboard.notes.write", "pinned"): _("Pinned a note"),
        ("dashboard.notes.write", "unpinned"): _("Unpinned a note"),
        ("people", "added"): _("Added a person"),
        ("people.setupLink", "cancelled"): _(
            "Cancelled a set-up link, or the password chosen with the link"
        ),
        ("people.password", "set"): _("Set a person's password on the server"),
        ("people", "deactivated"): _("Deactivated a person"),
        ("people", "reactivated"): _("Reactivated a person"),
        ("people", "asked"): _("Asked a second manager to approve a change to a person"),
        ("people", "approved"): _("Approved a change to a person"),
        ("people", "declined"): _("Declined a change to a person"),
        ("people", "withdrawn"): _("Withdrew a change to a person"),
        ("groups", "added"): _("Added a role"),
        ("groups", "removed"): _("Removed a role"),
        ("dashboard.loanLists.share", "deleted"): _("Deleted a shared list of loans"),
        ("dashboard.portfolio.count", "stopped"): _("Stopped an update of the portfolio"),
    }
)

_SAVED: Mapping[str, str] = MappingProxyType(
    {
        "no": _("Nothing was saved."),
        "unknown": _("We don't know yet whether this action was saved."),
    }
)


def describe_action(entry: Entry) -> str:
    """Return the action in words; if it has no words, return the stored text."""
    words = _BY_OUTCOME.get((entry.action, entry.outcome)) or ACTIONS.get(entry.action)
    return gettext(words) if words else entry.action


def describe_outcome(entry: Entry) -> str:
    """Return the stored outcome, in English, with spaces and an initial capital letter."""
    outcome = entry.outcome.replace("_", " ")
    return f"{outcome[:1].upper()}{outcome[1:]}"


def describe_saved(entry: Entry) -> str:
    """Return a sentence if nothing was saved, or if this is unknown; else an empty text."""
    return gettext(_SAVED.get(entry.saved, ""))
