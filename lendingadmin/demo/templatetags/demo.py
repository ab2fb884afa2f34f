"""Tags for hints that only the demo shows: its people on the sign-in page, and things to try."""

from datetime import timedelta
from typing import NamedTuple

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import ROLE_WORDS
from lendingadmin.demo.environment import PASSWORD
from lendingadmin.demo.story.cast import APP
from lendingadmin.records.offers.models import OfferRequest, OfferState

register = template.Library()

_MOST = 5


class Thing(NamedTuple):
    """Something to try: the right that a person needs, the page's name and query, and words."""

    right: str
    page: str
    query: str
    words: str


#: Things to try, in the order of the page. A person sees the first five that the rights allow.
_THINGS = (
    Thing(
        "lending.loans.makeRepayment",
        "payment",
        "",
        gettext_noop("Record a repayment: search for a name or a phone number"),
    ),
    Thing(
        "dashboard.statements.read",
        "statement-new",
        "",
        gettext_noop("Upload the M-PESA statement of this morning"),
    ),
    Thing(
        "dashboard.repayments.statement",
        "repayments-day",
        "?date={yesterday}",
        gettext_noop("Find the cash that is missing from yesterday"),
    ),
    Thing(
        "dashboard.repayments.approve",
        "repayments",
        "?state=awaiting",
        gettext_noop("Approve a large repayment"),
    ),
    Thing(
        "dashboard.collections.call",
        "collections",
        "",
        gettext_noop("Call a borrower who is late, and note a promise"),
    ),
    Thing(
        "lending.borrowers.getOffers",
        "borrower-offers",
        "",
        gettext_noop("Compare the contracts of an offer"),
    ),
    Thing(
        "dashboard.sheets.read",
        "sheets",
        "",
        gettext_noop("Find the collection sheet that is late"),
    ),
    Thing(
        "lending.loans.list",
        "loan-list",
        "?show=overdue",
        gettext_noop("Open a loan that is overdue, and see its instalments"),
    ),
    Thing("lending.borrowers.list", "borrowers", "", gettext_noop("Look at the borrowers")),
    Thing(
        "lending.assessments.list",
        "assessments",
        "",
        gettext_noop("Open an assessment, and see how it was decided"),
    ),
    Thing("lending.products.list", "products", "", gettext_noop("Compare the products")),
    Thing(
        "lending.events.list",
        "events",
        "",
        gettext_noop("See the data that the borrowers' phones reported"),
    ),
)


@register.simple_tag
def demo_people() -> list[tuple[str, str]]:
    """Return the names of the demo's people, with their work; empty outside the demo."""
    return [(name, _(words)) for name, words in ROLE_WORDS.items()] if settings.DEMO else []


@register.simple_tag
def demo_password() -> str:
    """Return the password of the demo's people, which everybody knows; empty outside the demo."""
    return PASSWORD if settings.DEMO else ""


@register.simple_tag
def demo_things(app: LendingApp, person: User) -> list[tuple[str, str]]:
    """Return the addresses and words of things that the person may try, at most _MOST.

    The list is empty outside the demo, and in an app without the story.
    """
    if not settings.DEMO or app.app_id != APP:
        return []
    yesterday = timezone.localdate(timezone=app.zone) - timedelta(days=1)
    made = OfferRequest.objects.filter(app_id=app.app_id, state=OfferState.DONE).first()
    places = {"borrower-offers": [app.app_id, made.borrower_id] if made else None, "products": []}
    return [
        (reverse(one.page, args=place) + one.query.format(yesterday=yesterday), _(one.words))
        for one in _THINGS
        if person.has_perm(one.right, app.app_id)
        and (place := places.get(one.page, [app.app_id])) is not None
    ][:_MOST]


@register.simple_tag
def demo_has_file(app: LendingApp) -> bool:
    """Return True if the demo offers a statement of this morning in this app."""
    return bool(settings.DEMO and app.app_id == APP)
