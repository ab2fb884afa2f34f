"""Timeline items for statement rows that have the transaction id of a repayment."""

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.money.repayments.timeline import find_repayments
from lendingadmin.web.display import formats
from lendingadmin.web.display.money import money
from lendingadmin.web.keyset import unindexed
from lendingadmin.web.timeline import Item, OwnRows, Source, Subject

from .lines import Kind, Place
from .models import StatementLine


def find_lines(subject: Subject) -> QuerySet[StatementLine]:
    """Return the payments that have a time and the id of a subject's repayment.

    Copies in other files are left out.
    """
    own = find_repayments(subject).filter(external_id_minted=False).order_by()
    # Only the index of ids is used. An app has many files, and nearly all rows are payments.
    of_app = unindexed(Q(file__app_id=subject.app.app_id, kind=Kind.PAYMENT))
    rows = StatementLine.objects.filter(
        of_app, receipt_key__in=own.values("external_id_key"), moment__isnull=False
    )
    return rows.exclude(place__in=("", Place.COPY)).select_related("file")


def describe_line(line: StatementLine, subject: Subject) -> Item:
    """Return the timeline item of a row. The item does not name the payer."""
    file = line.file
    code = line.currency or file.currency or subject.app.currency
    given = {"row": line.number, "network": file.network or _("a statement")}
    return Item(
        line.moment or file.created_at,
        _("Row %(row)s of %(network)s") % given,
        url=f"{file.get_absolute_url()}?after={line.position - 1}",
        amount=money(line.amount, code, formats.locale()),
        detail=line.receipt,
        is_day=not line.has_time,
    )


ROWS = Source(
    "statements",
    gettext_noop("Statement rows"),
    "document-check",
    "dashboard.statements.read",
    rows=(OwnRows(find_lines, "moment", describe_line),),
)
