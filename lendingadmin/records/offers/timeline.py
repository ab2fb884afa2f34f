"""Offer requests from this dashboard, on the timeline of a borrower.

The requests are read from our own table, because a call that asks the service for an offer could
start an offer.
"""

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.web.timeline import Item, OwnRows, Source, Subject

from .models import OfferRequest

_MAY_SEE = "lending.borrowers.getOffers"


def find_offers(subject: Subject) -> QuerySet[OfferRequest]:
    """Return the offer requests of a borrower."""
    rows = OfferRequest.objects.filter(app_id=subject.app.app_id, borrower_id=subject.borrower_id)
    return rows.select_related("asked_by")


def describe_offer(offer: OfferRequest, subject: Subject) -> Item:
    """Return one request and its state as an item."""
    return Item(
        offer.asked_at,
        _("Offer requested"),
        url=offer.get_absolute_url() if subject.person.has_perm(_MAY_SEE) else "",
        by=offer.asked_by.username,
        chips=(offer.chip,),
        detail=offer.assessment_type.rpartition("/")[2],
    )


OFFERS = Source(
    "offers",
    gettext_noop("Offers"),
    "gift",
    "lending.borrowers.get",
    rows=(OwnRows(find_offers, "asked_at", describe_offer),),
    of_loans=False,
)
