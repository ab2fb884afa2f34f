"""Repayments, approvals and reported mistakes on the timeline of a borrower or a loan."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.web.display import formats
from lendingadmin.web.display.money import money
from lendingadmin.web.display.statuses import Status
from lendingadmin.web.timeline import Item, OwnRows, Source, Subject

from .models import Mistake, Repayment
from .states import RepaymentState


def find_repayments(subject: Subject) -> QuerySet[Repayment]:
    """Return the repayments that were entered in this dashboard for a loan or a borrower."""
    rows = Repayment.objects.filter(app_id=subject.app.app_id)
    if subject.account_id:
        return rows.filter(account_id=subject.account_id).select_related("created_by")
    return rows.filter(borrower_id=subject.borrower_id).select_related("created_by")


def describe_repayment(repayment: Repayment, subject: Subject) -> Item:
    """Return the item of a repayment: the entry, the present state and the receipt."""
    receipt = repayment.receipt_number
    parts = [] if subject.account_id else [_("on %(account)s") % {"account": repayment.account_id}]
    parts.append(repayment.external_id)
    if receipt:
        parts.append(_("receipt %(number)s") % {"number": receipt})
    return Item(
        repayment.created_at,
        _("Repayment %(number)s") % {"number": repayment},
        url=repayment.get_absolute_url(),
        by=repayment.created_by.username,
        chips=(repayment.message.chip,),
        amount=_write_amount(repayment),
        detail=" · ".join(parts),
    )


def _write_amount(repayment: Repayment) -> str:
    return money(repayment.exact_amount, repayment.shown_currency, formats.locale())


def find_approved(subject: Subject) -> QuerySet[Repayment]:
    """Return the subject's repayments that a second person approved."""
    rows = find_repayments(subject).filter(approved_at__isnull=False)
    return rows.select_related("approved_by")


def find_declined(subject: Subject) -> QuerySet[Repayment]:
    """Return repayments that an approver, or the person who entered them, declined."""
    rows = find_repayments(subject).filter(state=RepaymentState.DECLINED)
    return rows.filter(resolved_at__isnull=False).select_related("resolved_by")


def describe_approval(repayment: Repayment, subject: Subject) -> Item:
    """Return the item for the approval of a repayment, with its approver."""
    return Item(
        repayment.approved_at or repayment.created_at,
        _("Approved repayment %(number)s") % {"number": repayment},
        url=repayment.get_absolute_url(),
        by=repayment.approved_by.username if repayment.approved_by else "",
        chips=(Status(_("approved"), "good", "check-circle"),),
        amount=_write_amount(repayment),
    )


def describe_declined(repayment: Repayment, subject: Subject) -> Item:
    """Return the item for a declined repayment, with the person who declined it."""
    return Item(
        repayment.resolved_at or repayment.created_at,
        _("Declined repayment %(number)s") % {"number": repayment},
        url=repayment.get_absolute_url(),
        by=repayment.resolved_by.username if repayment.resolved_by else "",
        chips=(repayment.message.chip,),
        amount=_write_amount(repayment),
    )


def find_mistakes(subject: Subject) -> QuerySet[Mistake]:
    """Return the mistakes reported in the subject's repayments."""
    own = find_repayments(subject).order_by().values("pk")
    rows = Mistake.objects.filter(repayment__in=own)
    return rows.select_related("repayment", "reported_by", "reviewed_by")


def find_reviewed(subject: Subject) -> QuerySet[Mistake]:
    """Return the reports that were reviewed."""
    return find_mistakes(subject).filter(reviewed_at__isnull=False)


def describe_report(mistake: Mistake, subject: Subject) -> Item:
    """Return the item for a reported mistake, with its reporter.

    The repayment's page shows the mistake itself.
    """
    is_open = Status(_("waiting for review"), "warn", "clock")
    return Item(
        mistake.reported_at,
        _("Reported a mistake in repayment %(number)s") % {"number": mistake.repayment},
        url=mistake.repayment.get_absolute_url(),
        by=mistake.reported_by.username,
        chips=(is_open,) if mistake.is_open else (),
        amount=_write_amount(mistake.repayment),
    )


def describe_review(mistake: Mistake, subject: Subject) -> Item:
    """Return the item for a manager's review of a report."""
    return Item(
        mistake.reviewed_at or mistake.reported_at,
        _("Reviewed a mistake in repayment %(number)s") % {"number": mistake.repayment},
        url=mistake.repayment.get_absolute_url(),
        by=mistake.reviewed_by.username if mistake.reviewed_by else "",
        detail=str(mistake.get_reviewed_as_display()),
    )


_PERMISSION = "lending.loans.get"
REPAYMENTS = Source(
    "repayments",
    gettext_noop("Repayments"),
    "book-open",
    _PERMISSION,
    rows=(OwnRows(find_repayments, "created_at", describe_repayment),),
)
APPROVALS = Source(
    "approvals",
    gettext_noop("Approvals"),
    "hand-thumb-up",
    _PERMISSION,
    rows=(
        OwnRows(find_approved, "approved_at", describe_approval),
        OwnRows(find_declined, "resolved_at", describe_declined),
    ),
)
MISTAKES = Source(
    "mistakes",
    gettext_noop("Mistakes"),
    "exclamation-triangle",
    _PERMISSION,
    rows=(
        OwnRows(find_mistakes, "reported_at", describe_report),
        OwnRows(find_reviewed, "reviewed_at", describe_review),
    ),
)
