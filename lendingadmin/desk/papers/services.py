"""Commands of the area: make a paper, and record that it is opened for printing.

All kinds of papers share one series of numbers for each app and year, and the series has no gaps.
Years are in the lender's time zone.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext_noop

from lendingadmin.core import audit, gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.lender import read_lender
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import MAKE_PAPERS
from lendingadmin.desk.collections.services import count_notice
from lendingadmin.desk.portfolio.models import LONGEST_ID
from lendingadmin.desk.statements.confirming import list_confirmed
from lendingadmin.lending import loan_math
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.values import LendingContract, Loan, Malformed, text
from lendingadmin.people.index import cards, live
from lendingadmin.people.index.names import get_names
from lendingadmin.records.loans.rows import LIST_KEYS
from lendingadmin.records.offers import drafts

from . import contents, key_facts, notice
from .contents import Content, Subject
from .figures import Unfit, build_account, check_discharged, read_figures
from .models import BulkRow, Paper, PaperKind

# If several people make papers at the same moment, each tries at most this often to get a number.
_TRIES = 50
_LOANS = 100
# Key facts of one borrower that are searched for those of an offer.
_FACTS = 20
_LOAN_KEYS = (*LIST_KEYS, "contract", "loanAmount", "settlementDate")


@dataclass(frozen=True)
class Wanted:
    """The paper that a person requested. `account_id` is empty for all loans of the borrower."""

    kind: PaperKind
    borrower_id: str
    account_id: str
    language: str
    first_day: date | None = None
    last_day: date | None = None


class Material(NamedTuple):
    """Material of a paper: the borrower, the loan if there is one, and the writer of the text.

    `write` raises Unfit if the paper can't be made.
    """

    borrower_id: str
    account_id: str
    write: Callable[[Subject], Content]


#: Function that reads the material of a requested paper.
Read = Callable[[Wanted], Material]


def make_paper(
    app: LendingApp,
    wanted: Wanted,
    idempotency_key: str,
    by: User,
    read: Read | None = None,
    *,
    row: BulkRow | None = None,
) -> Paper:
    """Read the material and make the paper, with an audit entry. By default, read the loans.

    `row` is the row of papers in bulk that gets the paper, if there is one.

    If the same form was sent before, return its paper. Raise Unfit if the paper can't be made, and
    LendingError if the service does not answer. In both cases nothing is saved and no number is
    used.
    """
    if first := Paper.objects.filter(idempotency_key=idempotency_key).first():
        return first
    material = read(wanted) if read else use_loans(wanted, _read_loans(app, wanted))
    now = timezone.now()
    for key in (material.borrower_id, material.account_id):
        if len(key) > LONGEST_ID:
            raise Unfit("unreadable", key)
    subject = Subject(
        app,
        read_lender(app.app_id),
        wanted.language,
        _read_name(app.app_id, material.borrower_id),
        material.borrower_id,
        by.get_full_name() or by.username,
        now,
        (wanted.first_day, wanted.last_day),
    )
    paper = Paper(
        app_id=app.app_id,
        year=now.astimezone(app.zone).year,
        kind=wanted.kind,
        borrower_id=material.borrower_id,
        account_id=material.account_id,
        first_day=wanted.first_day,
        last_day=wanted.last_day,
        language=wanted.language,
        content=json.dumps(material.write(subject).to_json()),
        figures_at=now,
        made_by=by,
        made_at=now,
        idempotency_key=idempotency_key,
        once_on=_find_only_day(subject, wanted.kind, row),
    )

    def finish() -> None:
        if row and not row.waiting.update(paper=paper):
            raise Unfit("once")
        if wanted.kind == PaperKind.NOTICE:
            next_day = notice.find_pay_day(subject) + timedelta(days=1)
            own = (paper.borrower_id, paper.account_id, next_day, f"paper-{paper.pk}")
            count_notice(app, *own, by, now)

    return _save(paper, by, finish)


def _find_only_day(subject: Subject, kind: PaperKind, row: BulkRow | None) -> date | None:
    """Return the day on which only one paper of this kind is allowed; None if more are allowed."""
    if row:
        return row.bulk.day
    today = subject.made_at.astimezone(subject.app.zone).date()
    return today if kind == PaperKind.NOTICE else None


def use_loans(wanted: Wanted, loans: Sequence[Loan]) -> Material:
    """Return the material of a paper about these loans of one borrower."""
    borrower_id = loan_math.borrower_of(loans[0]) or wanted.borrower_id
    account_id = loan_math.key_of(loans[0]) if wanted.account_id else ""
    return Material(borrower_id, account_id, partial(OF_LOANS[wanted.kind], loans))


def _write_statement(loans: Sequence[Loan], subject: Subject) -> Content:
    figures = [read_figures(one, loan_math.key_of(one), subject.made_at) for one in loans]
    accounts = [build_account(one, subject.app, *subject.days) for one in figures]
    repayments = [row for one in accounts for row in one.repayments.values()]
    return contents.write_statement(subject, accounts, list_confirmed(subject.app, repayments))


def _write_discharge(loans: Sequence[Loan], subject: Subject) -> Content:
    figures = read_figures(loans[0], loan_math.key_of(loans[0]), subject.made_at)
    check_discharged(loans[0], figures, subject.app)
    return contents.write_discharge(subject, figures)


def _write_notice(loans: Sequence[Loan], subject: Subject) -> Content:
    figures = [read_figures(one, loan_math.key_of(one), subject.made_at) for one in loans]
    demanded = notice.list_demanded(subject.app, subject.borrower_id, loans, figures)
    return notice.write_notice(subject, demanded)


def _write_key_facts(loans: Sequence[Loan], subject: Subject) -> Content:
    found = key_facts.read_facts(loans[0].contract, subject.app.currency)
    product, account_id = text(found.contract.product_id), loan_math.key_of(loans[0])
    lent = key_facts.Lent(product or "—", ((gettext_noop("Loan"), account_id),))
    return key_facts.write_key_facts(found, lent, subject)


#: Writers of the papers about loans, by kind, in the order of their buttons.
OF_LOANS: dict[PaperKind, Callable[[Sequence[Loan], Subject], Content]] = {
    PaperKind.STATEMENT: _write_statement,
    PaperKind.NOTICE: _write_notice,
    PaperKind.DISCHARGE: _write_discharge,
    PaperKind.KEY_FACTS: _write_key_facts,
}


def _read_loans(app: LendingApp, wanted: Wanted) -> list[Loan]:
    """Return the loan, or all loans of the borrower, the oldest first. Raises Unfit."""
    loans = gateway.app(app.app_id).loans
    if wanted.account_id:
        return [check_named(loans.get(wanted.account_id), wanted.account_id)]
    page = loans.only(_LOAN_KEYS).list(filters={"borrowerId": wanted.borrower_id}, page_size=_LOANS)
    if page.next_page_token:
        raise Unfit("too-many")
    own = []
    for one in page.items:
        key = "" if isinstance(one, Malformed) else loan_math.key_of(one)
        owner = "" if isinstance(one, Malformed) else loan_math.borrower_of(one)
        if isinstance(one, Malformed) or not key or not owner:
            raise Unfit("unreadable", key or "—")
        # A service may ignore the filter and list loans of others.
        if owner == wanted.borrower_id:
            own.append(one)
    if not own:
        raise Unfit("no-loans")
    return own


def _read_name(app_id: str, borrower_id: str) -> str:
    """Return the borrower's name from the index, or else from the service.

    Raise Unfit if the name is not known, because a paper names its customer.
    """
    known = get_names(app_id, [borrower_id]).get(borrower_id)
    if known is None and borrower_id:
        found = check_named(gateway.app(app_id).borrowers.get(borrower_id), borrower_id)
        live.keep(app_id, found)
        name = cards.read_fields(found)["name"]
    else:
        name = known.name if known else ""
    if not name:
        raise Unfit("unnamed")
    return name


def _save(paper: Paper, by: User, finish: Callable[[], None]) -> Paper:
    """Save the paper with the next number of its year. If another paper took the number, try again.

    `finish` runs in the same transaction. Raise Unfit if only one such paper is allowed on this day
    and the borrower already has one.
    """
    once = {name: getattr(paper, name) for name in ("app_id", "borrower_id", "kind", "once_on")}
    of_year = Paper.objects.filter(app_id=paper.app_id, year=paper.year)
    for _try in range(_TRIES):
        try:
            with transaction.atomic(durable=True):
                last = of_year.aggregate(last=Max("number"))["last"] or 0
                paper.pk, paper.number = None, last + 1
                paper.save(force_insert=True)
                finish()
                audit.record_about(paper, by, MAKE_PAPERS, "made", detail=paper.get_kind_display())
        except IntegrityError:
            same = Paper.objects.filter(idempotency_key=paper.idempotency_key).first()
            if same:
                return same
            if paper.once_on and Paper.objects.filter(**once).exists():
                raise Unfit("once") from None
        else:
            return paper
    raise RuntimeError("no free number for a paper")


def find_other_facts(
    app: LendingApp, source: drafts.Source, contract: LendingContract
) -> Paper | None:
    """Return the newest key facts of an offer if they do not have the figures of this contract.

    Return None if they do, or if the offer has no key facts.
    """
    rows = Paper.objects.filter(
        app_id=app.app_id, borrower_id=source.borrower_id, kind=PaperKind.KEY_FACTS, account_id=""
    )
    for paper in rows.order_by("-made_at", "-id")[:_FACTS]:
        content = paper.read_content()
        if content and any(value == source.request_id for _label, value in content["facts"]):
            return None if content["tables"] == _write_tables(app, contract, paper) else paper
    return None


def _write_tables(app: LendingApp, contract: LendingContract, paper: Paper) -> object:
    """Return the tables of key facts of a contract, as they are stored; None if there are none."""
    lender, nobody = read_lender(app.app_id), ("", "", "")
    subject = Subject(app, lender, paper.language, *nobody, paper.made_at)
    try:
        facts = key_facts.read_facts(contract, app.currency)
    except Unfit:
        return None
    written = key_facts.write_key_facts(facts, key_facts.Lent(""), subject)
    return json.loads(json.dumps(written.to_json()["tables"]))


def note_printing(paper: Paper, by: User) -> datetime | None:
    """Record on the paper and in the audit trail that the paper is opened for printing.

    Return the time of the first opening; None if this is the first opening.
    """
    with transaction.atomic():
        rows = Paper.objects.filter(pk=paper.pk)
        is_first = rows.filter(opened_at=None).update(opened_at=timezone.now()) == 1
        paper.refresh_from_db(fields=["opened_at"])
        again = gettext_noop("opened for reprinting")
        outcome = gettext_noop("opened for printing") if is_first else again
        audit.record_about(paper, by, MAKE_PAPERS, outcome)
    return None if is_first else paper.opened_at
