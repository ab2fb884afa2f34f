"""The calling rules for contacts that are not calls, such as a notice of what is owed."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp

from . import rules
from .models import Contact
from .policies import get_rules
from .services import list_stops
from .states import StopKind

#: A sentence for each rule that can forbid a contact, by code.
SENTENCES: Mapping[str, object] = {
    "closed": _("Calls are allowed again from %(moment)s."),
    "closed-long": _("No calls are allowed in the next 60 days."),
    "stopped": _("No calls to this borrower until a manager allows them."),
    "loan-stopped": _("No calls about this loan until a manager allows them."),
    "later": _("The last contact was recent. The next contact is allowed from %(moment)s."),
}


class Barrier(NamedTuple):
    """The rule that forbids a contact: its code in SENTENCES, and the time when it ends."""

    code: str
    until: datetime | None = None


def find_barrier(app: LendingApp, borrower_id: str, now: datetime) -> Barrier | None:
    """Return the rule that forbids a written contact now; None if it is allowed.

    A wrong phone number does not forbid a letter. If contacts about one loan are stopped, letters
    about other loans are allowed (`list_stopped_loans`).
    """
    allowed = get_rules(app)
    if not rules.is_open(allowed, now):
        opening = rules.find_opening(allowed, now)
        return Barrier("closed", opening) if opening else Barrier("closed-long")
    if "" in list_stopped_loans(app.app_id, borrower_id):
        return Barrier("stopped")
    rows = Contact.objects.filter(app_id=app.app_id, borrower_id=borrower_id, next_at__gt=now)
    later = rows.first()
    return Barrier("later", later.next_at) if later else None


def list_stopped_loans(app_id: str, borrower_id: str) -> set[str]:
    """Return the ids of the borrower's loans for which contacts are stopped.

    The id is empty for a stop of all contacts with the borrower.
    """
    stops = list_stops(app_id, borrower_id)
    return {one.account_id for one in stops if one.kind != StopKind.WRONG_NUMBER}


def has_wrong_number(app_id: str, borrower_id: str) -> bool:
    """Return True if the phone number of the borrower is marked as wrong."""
    stops = list_stops(app_id, borrower_id)
    return any(one.kind == StopKind.WRONG_NUMBER for one in stops)
