"""An index without a service, and what makes borrowers for it."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from lendingadmin.lending.values import Borrower
from lendingadmin.people.index import cards
from lendingadmin.people.index.models import BorrowerIndex
from lendingadmin.people.index.tokens import name_key

APP = "kenya"
Put = Callable[..., str]
PutMany = Callable[[Iterable[dict[str, Any]]], None]


def make_borrower(borrower_id: str, **person: Any) -> Borrower:
    """A borrower as the service answers; `borrower_no`, `company` and `uid` stand outside."""
    outside = {
        "borrowerNo": person.pop("borrower_no", None),
        "company": person.pop("company", None),
        "uid": person.pop("uid", None),
    }
    return Borrower({"borrowerId": borrower_id, "individual": person or None, **outside})


@pytest.fixture
def index(db: None) -> BorrowerIndex:
    return BorrowerIndex.objects.create(
        app_id=APP, key_name=name_key(settings.PEOPLE_KEYS[0]), complete_at=timezone.now()
    )


@pytest.fixture
def put(index: BorrowerIndex) -> Put:
    """Puts one borrower into the index, as if read at a moment."""

    def put_one(borrower_id: str, read_at: datetime | None = None, **person: Any) -> str:
        with transaction.atomic():
            borrower = make_borrower(borrower_id, **person)
            cards.put_borrowers(index, [borrower], read_at or timezone.now())
        return borrower_id

    return put_one


@pytest.fixture
def put_many(index: BorrowerIndex) -> PutMany:
    """Puts many into the index at once, who are called `m-0`, `m-1` and so on."""

    def put_all(people: Iterable[dict[str, Any]]) -> None:
        borrowers = [make_borrower(f"m-{at}", **person) for at, person in enumerate(people)]
        with transaction.atomic():
            cards.put_borrowers(index, borrowers, timezone.now())

    return put_all
