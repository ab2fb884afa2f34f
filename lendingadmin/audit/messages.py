"""The words of the audit trail: each action and outcome, once, as people read them.

What is stored are the names that code and filters use, so that words may change and old entries
follow.
"""

from collections.abc import Mapping
from types import MappingProxyType

from lendingadmin.audit.models import Entry

# In the order in which the filter offers them.
ACTIONS: Mapping[str, str] = MappingProxyType(
    {
        "loans.makeRepayment": "Recorded a repayment",
        "receipt": "Opened a receipt for printing",
        "dashboard.repayments.reportMistake": "Reported a mistake",
        "dashboard.repayments.reviewMistake": "Reviewed a reported mistake",
        "borrowers.create": "Registered a borrower",
        "borrowers.patch": "Changed a borrower",
        "borrowers.delete": "Deleted a borrower",
        "borrowers.getOffers": "Requested an offer",
        "loans.create": "Created a loan",
        "loans.delete": "Deleted a loan",
        "assessments.create": "Started an assessment",
        "events.create": "Recorded an event",
        "dashboard.personalContent.reveal": "Revealed personal content",
        "dashboard.borrowers.search": "Searched borrowers",
        "dashboard.borrowers.erase": "Erased a borrower from the search index",
        "dashboard.export": "Exported",
        "dashboard.loanLists.share": "Shared a list of loans",
        "dashboard.portfolio.count": "Refreshed the portfolio",
        "sign-in": "Signed in",
        "sign-out": "Signed out",
        "password": "Chose a password",
        "second factor": "Changed own two-step sign-in",
        "people": "Changed a person",
        "people.setupLink": "Made a set-up link",
        "people.sessions": "Ended a person's sessions",
        "people.secondFactor": "Removed a person's two-step sign-in",
        "people.profile": "Changed own profile",
        "groups": "Changed a role",
    }
)

# Where the outcome gives the action other words.
_BY_OUTCOME: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("sign-in", "refused"): "Tried to sign in",
        ("sign-in", "held back"): "Tried to sign in too often",
        ("receipt", "opened for reprinting"): "Opened a receipt for printing again",
        ("people", "added"): "Added a person",
        ("people", "deactivated"): "Deactivated a person",
        ("people", "reactivated"): "Reactivated a person",
        ("groups", "added"): "Added a role",
        ("groups", "removed"): "Removed a role",
        ("dashboard.loanLists.share", "deleted"): "Deleted a shared list of loans",
        ("dashboard.portfolio.count", "stopped"): "Stopped refreshing the portfolio",
    }
)

_SAVED: Mapping[str, str] = MappingProxyType(
    {"no": "Nothing was saved.", "unknown": "Not known whether it was saved."}
)


def describe_action(entry: Entry) -> str:
    """What was done, in words; an action without words as it is stored."""
    return _BY_OUTCOME.get((entry.action, entry.outcome)) or ACTIONS.get(entry.action, entry.action)


def describe_outcome(entry: Entry) -> str:
    """How it ended, in words."""
    outcome = entry.outcome.replace("_", " ")
    return f"{outcome[:1].upper()}{outcome[1:]}"


def describe_saved(entry: Entry) -> str:
    """Whether anything was saved, where that is not what the outcome says itself."""
    return _SAVED.get(entry.saved, "")
