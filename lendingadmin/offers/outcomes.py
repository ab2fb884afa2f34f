"""Finding out what became of a request for offers: its own page asks, by its requestId.

To ask is a POST that could also start an offer, so nothing is asked here (Spec: Borrowers, 4).
"""

from lendingadmin.web.following import Finding, Meant, Way, lend
from lendingadmin.web.models import Write

from .asking import Place
from .models import State


def asked(write: Write, meant: Meant) -> Finding:
    """What the request's own page has found out so far."""
    if "requestId" not in meant.sent:
        why = "It was sent without a request id, so the service cannot be asked for it."
        return Finding(Write.Found.NOT_SEEN, why)
    row = Place(write.app_id, write.subject, str(meant.sent["requestId"])).find()
    if row is None:
        # It is written down before the call.
        return Finding(Write.Found.NOT_SEEN, "The request was not written down, so not sent.")
    links = (("Open the request", row.get_absolute_url()),)
    if row.state == State.REFUSED:
        return Finding(Write.Found.NOT_SEEN, "The service refused the request.", links)
    if row.state == State.ASKED:
        why = "No answer yet. The request's page asks for it, by the same requestId."
        return Finding(Write.Found.NOT_SEEN, why, links)
    if not row.is_named:
        why = "The answer does not say to which request it is."
        return Finding(Write.Found.DIFFERS, why, links)
    return Finding(Write.Found.THERE, "The service knows the request by its requestId.", links)


def lend_ways() -> None:
    """Let the writes of this area be followed."""
    way = Way("Ask for offers", "lending.borrowers.getOffers", asked)
    lend("borrowers.getOffers", way._replace(there="The service knows the request"))
