"""Erasure of calls and promises: all data of one borrower, or the texts of old calls."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_noop as _

from lendingadmin.core.staff.erasure import Erasable, KeptOn
from lendingadmin.core.staff.retention import Table

from .models import Call, Contact, Lease, PaidLoan, Promise, Stop
from .states import PromiseState


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[Any]]:
    """Yield the rows about calls with a borrower, one queryset for each model."""
    own = {"app_id": app_id, "borrower_id": borrower_id}
    for model in (Call, Promise, Stop, Contact, Lease):
        yield model._default_manager.filter(**own)


def count_open(app_id: str, borrower_id: str) -> int:
    """Return the number of promises and stops of a borrower that are still open."""
    own = {"app_id": app_id, "borrower_id": borrower_id}
    promised = Promise.objects.filter(**own, state=PromiseState.OPEN).count()
    return promised + Stop.objects.filter(**own, ended_at=None).count()


def erase_borrower(app_id: str, borrower_id: str) -> int:
    """Delete all records of calls with a borrower; return the number of deleted rows.

    Nothing is deleted while a promise or a stop of the borrower is open. The deleted `PaidLoan`
    rows are not counted.
    """
    own = {"app_id": app_id, "borrower_id": borrower_id}
    with transaction.atomic():
        if count_open(app_id, borrower_id):
            return 0
        loans = Call.objects.filter(**own).exclude(account_id="").values("account_id")
        PaidLoan.objects.filter(app_id=app_id, account_id__in=loans).delete()
        rows = [Stop.objects.filter(**own), Lease.objects.filter(**own)]
        # Promises and contacts are deleted before their calls, so that all of them are counted.
        rows += [Promise.objects.filter(**own), Contact.objects.filter(**own)]
        rows += [Call.objects.filter(**own)]
        return sum(some.delete()[0] for some in rows)


def erase_older(before: datetime, most: int) -> int:
    """Erase the texts of calls, decisions and ended stops from before a time.

    Erase at most `most` ended stops, and for each app at most `most` calls and `most` decisions.

    Return the largest of these numbers.
    """
    ended = Stop.objects.filter(ended_at__lt=before)
    erased = [_erase(ended, "reason", most)]
    for app in settings.LENDING_APPS:
        # Each app has its own query, because the index of calls starts with the app.
        old = {"app_id": app.app_id, "called_at__lt": before}
        erased.append(_erase(Call.objects.filter(**old), "note", most))
        decided = Promise.objects.filter(**{f"call__{name}": one for name, one in old.items()})
        erased.append(_erase(decided, "reason", most))
    return max(erased)


def _list_old_calls(before: datetime) -> QuerySet[Call]:
    """Return old calls without texts, and without open promises or stops.

    The last call of each borrower is left out, because the time of the next call depends on it.
    """
    apps = [app.app_id for app in settings.LENDING_APPS]
    promises = Promise.objects.filter(call=OuterRef("pk"))
    still = promises.filter(~Q(reason="") | Q(state=PromiseState.OPEN))
    stops = Stop.objects.filter(call=OuterRef("pk"), ended_at=None)
    last = Contact.objects.filter(last_call=OuterRef("pk"))
    return Call.objects.filter(
        *(~Exists(some) for some in (still, stops, last)),
        app_id__in=apps,
        called_at__lt=before,
        note="",
    )


def _erase(rows: QuerySet[Any], column: str, most: int) -> int:
    keys = list(rows.exclude(**{column: ""}).order_by().values_list("pk", flat=True)[:most])
    count: int = rows.model._default_manager.filter(pk__in=keys).update(**{column: ""})
    return count


ERASABLE = [
    Erasable(
        _("calls, promises and “do not call”"),
        erase_borrower,
        kind="calls",
        erase_older=erase_older,
        list_rows=list_rows,
    ),
]
TABLES = [
    Table(
        _("calls and their promises"),
        "collections.Call",
        kind="calls",
        list_older=_list_old_calls,
    ),
    Table(
        _("borrowers marked “do not call”"),
        "collections.Stop",
        kind="calls",
        list_older=lambda before: Stop.objects.filter(ended_at__lt=before, reason="").order_by(
            "ended_at"
        ),
    ),
]
KEPT = [
    KeptOn(
        _("open promises and “do not call”"),
        _("still open; erase the data again after a decision"),
        count_open,
        list_rows=list_rows,
    ),
]
