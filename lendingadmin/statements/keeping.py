"""Takes a statement in, reads it again where a person says how, and deletes old content."""

import hashlib
import json
import secrets
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from lendingadmin import audit
from lendingadmin.gateway import LendingApp, lending_app
from lendingadmin.repayments.models import normalise_external_id
from lendingadmin.staff.models import User

from .completeness import prove
from .coverage import find_days
from .lines import Kind, Line, Mapping, Place, Statement, UnknownTable
from .models import LONGEST_ID, Batch, KnownLayout, StatementFile, StatementLine
from .places import find_places
from .reading import read

READ = "dashboard.statements.read"
#: So long the file itself is kept, encrypted; its lines stay.
KEEP_CONTENT = timedelta(days=90)
_AT_ONCE = 1_000


def take_in(app: LendingApp, content: bytes, by: User) -> tuple[StatementFile, bool]:
    """Read a file and keep it with its lines; returns it and whether it is new.

    The same bytes lead to the file that is there. A table of an unknown layout is kept without
    lines. Raises Refused where it is no statement.
    """
    digest = hashlib.sha256(content).hexdigest()
    same = StatementFile.objects.filter(app_id=app.app_id, digest=digest)
    if known := same.first():
        return known, False
    found = _read(app, content)
    file = StatementFile(
        app_id=app.app_id, digest=digest, token=secrets.token_hex(16), created_by=by
    )
    file.content = b64encode(zlib.compress(content)).decode()
    try:
        with transaction.atomic():
            file.save()
            _keep(file, found)
            audit.record(
                by, READ, app_id=app.app_id, subject=str(file), outcome="read", saved="yes"
            )
    except IntegrityError:
        # Somebody brought the same in at the same time.
        return same.get(), False
    return file, True


def open_table(file: StatementFile) -> UnknownTable | None:
    """The table of an unknown layout that waits for a person; None where nothing does."""
    if file.layout or not file.content:
        return None
    found = read(_unpack(file), zone=lending_app(file.app_id).zone)
    return found if isinstance(found, UnknownTable) else None


def map_columns(file: StatementFile, network: str, mapping: Mapping, by: User) -> None:
    """Read an unknown table as a person says, and remember it for the next of its kind.

    Raises Refused.
    """
    table = open_table(file)
    if table is None:
        return
    app, kept = lending_app(file.app_id), {"network": network, "columns": asdict(mapping)}
    with transaction.atomic():
        KnownLayout.objects.update_or_create(
            app_id=file.app_id, fingerprint=table.fingerprint, defaults=kept | {"created_by": by}
        )
        _keep(file, _read(app, _unpack(file)))
        audit.record(by, READ, app_id=file.app_id, subject=str(file), outcome="mapped", saved="yes")


def answer_days(file: StatementFile, day_first: bool, by: User) -> bool:
    """Read it again with the day or the month first; False where its content is gone, or its
    payments are on their way into the ledger.
    """
    if not file.content or Batch.objects.filter(file=file).exists():
        return False
    app = lending_app(file.app_id)
    found = _read(app, _unpack(file), day_first)
    with transaction.atomic():
        file.lines.all().delete()
        _keep(file, found)
        audit.record(by, READ, app_id=file.app_id, subject=str(file), outcome="read", saved="yes")
    return True


def delete_old_content(before: datetime, most: int) -> int:
    """Delete the content of files that were brought in before, of at most so many."""
    old = StatementFile.objects.filter(created_at__lt=before).exclude(content="")
    keys = list(old.order_by("created_at").values_list("pk", flat=True)[:most])
    return StatementFile.objects.filter(pk__in=keys).update(content="")


def delete_content_in_time() -> None:
    """The worker's duty: delete the content of files that are older than KEEP_CONTENT."""
    delete_old_content(timezone.now() - KEEP_CONTENT, 100)


def _read(
    app: LendingApp, content: bytes, day_first: bool | None = None
) -> Statement | UnknownTable:
    """Read it, as somebody said of a table with the same headings before."""
    found = read(content, zone=app.zone, day_first=day_first)
    if isinstance(found, UnknownTable):
        same = KnownLayout.objects.filter(app_id=app.app_id, fingerprint=found.fingerprint)
        if known := same.first():
            mapping = Mapping(**known.columns)
            found = read(content, zone=app.zone, day_first=day_first, mapping=mapping)
            if isinstance(found, Statement):
                return replace(found, network=known.network)
    return found


def _keep(file: StatementFile, found: Statement | UnknownTable) -> None:
    """Keep what was read; of an unknown table there is nothing to keep yet."""
    if isinstance(found, UnknownTable):
        return
    names = ("layout", "currency", "begins", "ends", "opening", "closing", "paid_in", "paid_out")
    for name in (*names, "newest_first", "day_first", "day_is_proposed"):
        setattr(file, name, getattr(found, name))
    file.account, file.network = found.account[:100], found.network
    file.covers_from, file.covers_to = find_days(found)
    file.searched_at = None
    file.proof = asdict(prove(found))
    file.save()
    rows = [_build_line(file, at, line) for at, line in enumerate(found.lines, start=1)]
    _place(file, rows)
    StatementLine.objects.bulk_create(rows, batch_size=_AT_ONCE)


def _place(file: StatementFile, rows: Sequence[StatementLine]) -> None:
    """Give each payment a place; those of a file that is not whole have none."""
    if file.proof["found"]:
        return
    payments = [row for row in rows if row.kind == Kind.PAYMENT]
    known = find_places(file.app_id, [row.receipt_key for row in payments if row.receipt_key])
    for row in payments:
        row.place = known.get(row.receipt_key, Place.UNALLOCATED)


def _build_line(file: StatementFile, position: int, line: Line) -> StatementLine:
    # Of charges and the like nobody looks for who they are of.
    is_told = line.kind in (Kind.PAYMENT, Kind.REVERSAL)
    about = [line.phone, line.payer, line.reference, line.details, line.status, line.reverses]
    receipt = line.receipt[:LONGEST_ID]
    is_key = receipt == line.receipt != "" and not line.is_damaged
    return StatementLine(
        file=file,
        position=position,
        number=line.number,
        kind=line.kind,
        receipt=receipt,
        receipt_key=normalise_external_id(receipt) if is_key else "",
        is_damaged=line.is_damaged,
        amount=line.amount,
        balance=line.balance,
        currency=line.currency,
        moment=line.moment,
        has_time=line.has_time,
        about=json.dumps(about, ensure_ascii=False) if is_told and any(about) else "",
    )


def _unpack(file: StatementFile) -> bytes:
    return zlib.decompress(b64decode(file.content))
