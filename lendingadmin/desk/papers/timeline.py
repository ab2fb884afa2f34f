"""Papers on the timeline of a borrower or a loan."""

from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from lendingadmin.core.staff.roles import MAKE_PAPERS
from lendingadmin.web.timeline import Item, OwnRows, Source, Subject

from .models import Paper


def find_papers(subject: Subject) -> QuerySet[Paper]:
    """Return the papers of a loan, or of a borrower and all their loans."""
    rows = Paper.objects.filter(app_id=subject.app.app_id).select_related("made_by")
    if subject.account_id:
        return rows.filter(account_id=subject.account_id)
    return rows.filter(borrower_id=subject.borrower_id)


def describe_paper(paper: Paper, subject: Subject) -> Item:
    """Return the timeline item of a paper, with its number."""
    return Item(
        paper.made_at,
        paper.get_kind_display(),
        url=paper.get_absolute_url(),
        by=paper.made_by.username,
        detail=str(paper),
    )


PAPERS = Source(
    "papers",
    gettext_noop("Papers"),
    "document-text",
    MAKE_PAPERS,
    rows=(OwnRows(find_papers, "made_at", describe_paper),),
)
