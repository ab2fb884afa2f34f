"""Save a statement, read it again after a person's answer, and delete old content."""

import hashlib
import json
import secrets
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import date, datetime
from decimal import Decimal
from itertools import islice

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from lendingadmin.core import audit
from lendingadmin.core.english import in_english
from lendingadmin.core.gateway import LendingApp, lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import normalise_external_id

from .completeness import prove
from .coverage import find_days
from .identity import make_ids
from .lines import MAPPED, Kind, Line, Mapping, Place, Statement, UnknownTable
from .models import COUNTED_CASH, LONGEST_ID, Batch, KnownLayout, StatementFile, StatementLine
from .places import find_places
from .reading import Answers, read

READ = "dashboard.statements.read"
ROWS_AT_ONCE = 1_000


@in_english
def take_in(app: LendingApp, content: bytes, by: User) -> tuple[StatementFile, bool]:
    """Read a file and save it with its lines; return the saved file and whether it is new.

    If the same bytes were uploaded before, return that file and save nothing. A new file gets an
    audit entry. A table of an unknown layout is saved without lines. Raise Refused if the content
    is not a statement.
    """
    digest = hashlib.sha256(content).hexdigest()
    same = StatementFile.objects.filter(app_id=app.app_id, digest=digest)
    if known := same.first():
        return known, False
    found = read_content(app, content)
    file = StatementFile(app_id=app.app_id, digest=digest, created_by=by)
    file.token = secrets.token_hex(16)
    file.content = b64encode(zlib.compress(content)).decode()
    try:
        with transaction.atomic():
            file.save()
            _keep(file, found)
            audit.record(
                by, READ, app_id=app.app_id, subject=str(file), outcome="read", saved="yes"
            )
    except IntegrityError:
        # Another person uploaded the same file at the same time.
        return same.get(), False
    return file, True


def keep_counted_cash(
    app: LendingApp, name: str, code: str, day: date, lines: Sequence[Line], by: User
) -> StatementFile:
    """Save the rows of a collection sheet as a file. Raise IntegrityError if `name` exists."""
    counted = Statement(
        layout=COUNTED_CASH,
        network="",
        account=code,
        currency=app.currency,
        lines=lines,
        begins=day,
        ends=day,
        paid_in=sum((line.amount for line in lines if line.amount), Decimal(0)),
    )
    digest = hashlib.sha256(name.encode()).hexdigest()
    file = StatementFile(app_id=app.app_id, digest=digest, created_by=by)
    file.token = secrets.token_hex(16)
    file.save()
    _keep(file, counted)
    return file


def may_read_again(file: StatementFile) -> bool:
    """Return True if a file can be read again.

    It must still have its content and have no batch, and no person may have placed its payments.
    """
    begun, placed = Batch.objects.filter(file=file), file.lines.exclude(placed_at=None)
    return bool(file.content) and not begun.exists() and not placed.exists()


def open_table(file: StatementFile) -> UnknownTable | None:
    """Return the table whose columns a person may name or change; None if there is none."""
    if file.layout not in ("", MAPPED) or not may_read_again(file):
        return None
    found = read(_unpack(file), zone=lending_app(file.app_id).zone)
    return found if isinstance(found, UnknownTable) else None


def find_layout(app_id: str, fingerprint: str) -> KnownLayout | None:
    """Return the answers of people about a layout; None if there are none."""
    return KnownLayout.objects.filter(app_id=app_id, fingerprint=fingerprint).first()


def map_columns(file: StatementFile, network: str, mapping: Mapping, by: User) -> bool:
    """Read a table with the columns that a person named; return False if it may not be read again.

    The columns are saved for other tables with the same headings.
    """
    table = open_table(file)
    if table is None:
        return False
    named = find_layout(file.app_id, table.fingerprint) or KnownLayout()
    named.network, named.columns = network, asdict(mapping)
    found = _read_named(lending_app(file.app_id), _unpack(file), None, named)
    with transaction.atomic():
        if not _replace_lines(file, found, by, "mapped"):
            return False
        KnownLayout.objects.update_or_create(
            app_id=file.app_id,
            fingerprint=table.fingerprint,
            defaults={"network": network, "columns": named.columns, "created_by": by},
        )
    return True


def answer_days(file: StatementFile, day_first: bool, by: User) -> bool:
    """Read a file again with the day or the month first; return False if that is not allowed."""
    if not may_read_again(file):
        return False
    found = read_content(lending_app(file.app_id), _unpack(file), day_first)
    return _replace_lines(file, found, by, "read")


def answer_words(file: StatementFile, meanings: Answers, by: User) -> bool:
    """Read a file again with the meanings of its unknown words; save the meanings for its layout.

    Return False if the file may not be read again.
    """
    if not may_read_again(file):
        return False
    app = lending_app(file.app_id)
    table = open_table(file)
    fingerprint = table.fingerprint if table else file.layout
    known = find_layout(file.app_id, fingerprint) or KnownLayout(
        app_id=file.app_id, fingerprint=fingerprint, created_by=by
    )
    for name, words in meanings.items():
        known.words = known.words | {name: known.words.get(name, {}) | words}
    # Pass on the earlier answer about day and month; None if a person is still asked.
    day_first = None if file.day_is_proposed else file.day_first
    with transaction.atomic():
        known.save()
        return _replace_lines(file, read_content(app, _unpack(file), day_first), by, "read")


def _replace_lines(
    file: StatementFile, found: Statement | UnknownTable, by: User, outcome: str
) -> bool:
    """Replace the lines of a file, with an audit entry; return False if that is not allowed."""
    with transaction.atomic():
        # No batch of this file can begin until this transaction ends.
        if not may_read_again(StatementFile.objects.select_for_update().get(pk=file.pk)):
            return False
        file.lines.all().delete()
        _keep(file, found)
        audit.record(by, READ, app_id=file.app_id, subject=str(file), outcome=outcome, saved="yes")
    return True


def list_old_content(before: datetime) -> QuerySet[StatementFile]:
    """Return the files from before a time that still have their content, the oldest first."""
    old = StatementFile.objects.filter(created_at__lt=before).exclude(content="")
    return old.order_by("created_at")


def delete_old_content(before: datetime, most: int) -> int:
    """Delete the content of at most `most` files uploaded before this time; return the number."""
    keys = list(list_old_content(before).values_list("pk", flat=True)[:most])
    return StatementFile.objects.filter(pk__in=keys).update(content="")


def read_content(
    app: LendingApp, content: bytes, day_first: bool | None = None
) -> Statement | UnknownTable:
    """Return the content of a file, read with the earlier answers of people. Raise Refused."""
    found = _read_named(app, content, day_first, KnownLayout())
    if isinstance(found, Statement) and not found.unknown_words:
        return found
    of = found.layout if isinstance(found, Statement) else found.fingerprint
    known = find_layout(app.app_id, of)
    return _read_named(app, content, day_first, known) if known else found


def _read_named(
    app: LendingApp, content: bytes, day_first: bool | None, known: KnownLayout
) -> Statement | UnknownTable:
    found = read(
        content,
        zone=app.zone,
        currency=app.currency,
        day_first=day_first,
        mapping=Mapping(**known.columns) if known.columns else None,
        answers=known.words,
    )
    if isinstance(found, Statement) and known.network:
        return replace(found, network=known.network)
    return found


def _keep(file: StatementFile, found: Statement | UnknownTable) -> None:
    """Set the values that were read on the file, and save it; do nothing for an unknown table."""
    if isinstance(found, UnknownTable):
        return
    head = ("layout", "currency", "begins", "ends", "opening", "closing", "paid_in", "paid_out")
    how = ("newest_first", "day_first", "day_is_proposed", "unknown_words", "unread")
    for name in (*head, *how):
        setattr(file, name, getattr(found, name))
    file.account, file.network = found.account[:100], found.network
    today = file.created_at.astimezone(lending_app(file.app_id).zone).date()
    proof = prove(found)
    # Only a complete statement proves that all payments of a day are known.
    file.proof = asdict(proof)
    days = find_days(found, today) if proof.is_complete and file.is_certain else (None, None)
    file.covers_from, file.covers_to = days
    file.searched_at = None
    file.save()
    lines = build_lines(file, found)
    while some := list(islice(lines, ROWS_AT_ONCE)):
        StatementLine.objects.bulk_create(some)


def _find_places(
    file: StatementFile, found: Sequence[Line], keys: Sequence[str]
) -> Sequence[Place | str]:
    """Return the place of the money of each line; empty for a line that is not a payment.

    All places are empty if rows are missing or a person must answer a question about the file. All
    are empty for counted cash too, because a cashier has this money and counts it at the end of the
    day.
    """
    is_placed = file.is_certain and not file.is_counted_cash
    payments = [is_placed and line.kind is Kind.PAYMENT for line in found]
    of_payments = [key for key, x in zip(keys, payments, strict=True) if key and x]
    known = find_places(file.app_id, of_payments)
    return [
        known.get(key, Place.UNALLOCATED) if is_payment else ""
        for key, is_payment in zip(keys, payments, strict=True)
    ]


def _build_key(receipt: str, *, is_key: bool = True) -> str:
    """Return the key that compares an id; empty if the id can't be a key."""
    return normalise_external_id(receipt) if is_key and len(receipt) <= LONGEST_ID else ""


def build_lines(file: StatementFile, found: Statement) -> Iterator[StatementLine]:
    """Yield the rows of a file in the form in which they are saved."""
    receipts = [line.receipt for line in found.lines]
    keys = [_build_key(line.receipt, is_key=not line.is_damaged) for line in found.lines]
    bank_keys = [""] * len(keys)
    if not found.has_unique_ids:
        # If the account is unknown, the token of the file makes the ids differ from those of other
        # files.
        account = file.account or file.network or f"S{file.token[:8]}"
        receipts = make_ids(account, found.lines, lending_app(file.app_id).zone)
        keys, bank_keys = list(map(_build_key, receipts)), keys
    places = _find_places(file, found.lines, keys)
    named = zip(found.lines, receipts, keys, bank_keys, places, strict=True)
    for position, (line, receipt, key, bank_key, place) in enumerate(named, start=1):
        # The texts are saved for payments and reversals only, because the payer of a charge is
        # never searched.
        is_told = line.kind in (Kind.PAYMENT, Kind.REVERSAL)
        texts = [line.phone, line.payer, line.reference, line.details, line.status, line.reverses]
        about = [*texts, *([list(line.others)] if line.others else [])]
        yield StatementLine(
            file=file,
            position=position,
            number=line.number,
            kind=line.kind,
            receipt=receipt[:LONGEST_ID],
            receipt_key=key,
            bank_key=bank_key,
            reverses_key=_build_key(line.reverses, is_key=line.kind is Kind.REVERSAL),
            is_damaged=line.is_damaged and found.has_unique_ids,
            amount=line.amount,
            balance=line.balance,
            currency=line.currency,
            moment=line.moment,
            has_time=line.has_time,
            about=json.dumps(about, ensure_ascii=False) if is_told and any(about) else "",
            place=place,
        )


def _unpack(file: StatementFile) -> bytes:
    return zlib.decompress(b64decode(file.content))
