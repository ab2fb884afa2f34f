"""Officers with borrowers, one of whom is on leave."""

from datetime import timedelta

from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.assignments import services

from .cast import Book, Cast


def assign(app: LendingApp, cast: Cast, book: Book) -> None:
    """Share the borrowers among three officers. One officer hands hers over for a week."""
    teams = (cast.officer, cast.officer, cast.brian, cast.amina)
    for number, debt in enumerate(book.debts):
        # The last six borrowers stay without an officer, as new borrowers do.
        if number < len(book.debts) - 6:
            officer = teams[number % len(teams)]
            services.assign(app.app_id, debt.borrower_id, officer, cast.manager, None)
    today = timezone.localdate()
    days = (today - timedelta(days=1), today + timedelta(days=6))
    services.hand_over(app.app_id, cast.amina, cast.officer, *days, cast.manager)
