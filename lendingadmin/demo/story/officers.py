"""Officers and their borrowers. One officer is on leave."""

from datetime import timedelta

from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.assignments import services

from .cast import Book, Cast


def assign(app: LendingApp, cast: Cast, book: Book) -> None:
    """Assign the borrowers to three officers. One officer hands her borrowers over for a week."""
    teams = (cast.officer, cast.officer, cast.brian, cast.amina)
    for number, debt in enumerate(book.debts):
        # The last six borrowers have no officer, like new borrowers.
        if number < len(book.debts) - 6:
            officer = teams[number % len(teams)]
            services.assign(app.app_id, debt.borrower_id, officer, cast.manager, None)
    today = timezone.localdate()
    days = (today - timedelta(days=1), today + timedelta(days=6))
    services.hand_over(app.app_id, cast.amina, cast.officer, *days, cast.manager)
