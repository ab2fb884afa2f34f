"""Saved payers: links from payers to loans, as people noted them.

A link only suggests a loan. A payer is recognised by the phone number, or, if digits are hidden, by
the name and the visible digits. Only keyed hashes are compared.
"""

from collections.abc import Sequence

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac

from lendingadmin.core import audit
from lendingadmin.core.encryption import Undecryptable
from lendingadmin.core.staff.models import User
from lendingadmin.people.index import words

from .agreement import find_names, find_phones
from .lines import About
from .models import Allocation, PayerLink
from .rows import read_about

KEEP = "dashboard.statements.keepPayer"
_PHONE = words.PHONE_ENDINGS[0]


def keep(row: Allocation, by: User) -> PayerLink | None:
    """Save a link from a row's payer to its loan, with an audit entry.

    Return None if the payer or the loan is not known.
    """
    about, app_id = read_about(row.line), row.batch.file.app_id
    keys = list_keys(app_id, about)
    if not keys or not row.account_id:
        return None
    shown = " · ".join(filter(None, _find_payer(about)))
    with transaction.atomic():
        link, is_new = PayerLink.objects.get_or_create(
            app_id=app_id,
            payer=keys[0],
            account_id=row.account_id,
            defaults={"created_by": by, "borrower_id": row.borrower_id, "shown": shown},
        )
        if is_new:
            audit.record_about(link, by, KEEP, "kept")
    return link


def revoke(link: PayerLink, by: User) -> None:
    """Delete a payer link, with an audit entry."""
    with transaction.atomic():
        audit.record_about(link, by, KEEP, "revoked")
        link.delete()


def find_loans(app_id: str, payments: Sequence[About]) -> list[set[str]]:
    """Return the loans that are linked to the payer of each payment, in one query.

    If a link was found with an older key, save it with the newest key, so that the older key can be
    removed.
    """
    keys = [list_keys(app_id, one) for one in payments]
    newest = {key: some[0] for some in keys for key in some}
    rows = PayerLink.objects.filter(app_id=app_id, payer__in=newest) if newest else ()
    loans: dict[str, set[str]] = {}
    for row in rows:
        loans.setdefault(newest[row.payer], set()).add(row.account_id)
        if row.payer != newest[row.payer]:
            _keep_under(row, newest[row.payer])
    return [loans.get(some[0], set()) if some else set() for some in keys]


def list_keys(app_id: str, about: About) -> list[str]:
    """Return the hashes of a payer with each key, the newest first; none for an unknown payer."""
    payer, shown = _find_payer(about)
    phone = "".join(sign for sign in shown.casefold() if sign.isalnum() or sign == "*")
    is_whole = "*" not in phone and len(phone) >= _PHONE
    name = " ".join(sorted(words.split_words(payer)))
    known = words.strip_trunk(phone) if is_whole else f"{name}|{phone}" if name else ""
    if not known:
        return []
    salt = f"lendingadmin.desk.statements.payers.{app_id}"
    return [
        salted_hmac(salt, known, secret=secret, algorithm="sha256").hexdigest()
        for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    ]


def _find_payer(about: About) -> tuple[str, str]:
    """Return the name and phone of a payer, from the columns or else from the words of the row."""
    if about.payer or about.phone:
        return about.payer, about.phone
    return next(find_names(about.sentences), ""), next(find_phones(about.sentences), "")


def _keep_under(link: PayerLink, payer: str) -> None:
    if isinstance(link.shown, Undecryptable):
        return
    # `shown` is read before `payer` changes, because its encryption is bound to the payer.
    link.shown, link.payer = link.shown, payer
    try:
        with transaction.atomic():
            link.save(update_fields=["payer", "shown"])
    except IntegrityError:  # the same link is already saved with the newest key
        PayerLink.objects.filter(pk=link.pk).delete()
