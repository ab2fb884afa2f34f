"""Fills the dashboard's own tables as a year of work leaves them.

A year of repayments in two apps, by three hundred people: more than 99 of 100 are recorded, some
hundred are in doubt.
"""

from datetime import datetime

from django.db import connection
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.records.assessments.models import AssessmentIndex
from tests.benchmarks.rows import insert, moment_of, pad, quickly

CLERKS = 300
LOANS = 60_000
# Rows of a statement.
_A_DAY = 1_000
# Whom somebody said to pay a loan.
_PAYERS = 5_000
_TABLES = (
    *("repayments_repayment", "repayments_reading", "repayments_mistake"),
    *("audit_entry", "writes_write", "assessments_knownassessment", "offers_offerrequest"),
    *("statements_statementfile", "statements_statementline"),
    *("statements_batch", "statements_allocation", "statements_payerlink"),
    "repayments_cashcount",
)

_APP = "CASE WHEN n % 3 = 0 THEN 'ghana' ELSE 'kenya' END"
_CLERK = f"n * 7919 % {CLERKS}"
_STATE = """CASE WHEN n % 2500 = 0 THEN 'unknown' WHEN n % 2500 = 1 THEN 'not_found'
  WHEN n % 2500 = 2 THEN 'presumed' WHEN n % 500 = 3 THEN 'refused'
  WHEN n % 1000 = 4 THEN 'not_sent' WHEN n % 2000 = 5 THEN 'resolved' ELSE 'recorded' END"""


def fill(repayments: int, entries: int, writes: int, assessments: int) -> None:
    """Make so many rows of each, and what belongs to them."""
    now = timezone.now()
    clerks = [User(username=f"clerk-{number:03}") for number in range(CLERKS)]
    User.objects.bulk_create(clerks)
    first = (
        User.objects.order_by("pk").filter(username__startswith="clerk-").values_list("pk")[0][0]
    )
    with quickly(_TABLES):
        insert("repayments_repayment", _repayments(now, repayments, first), repayments)
        insert("repayments_reading", _readings(now, repayments * 2), repayments * 2)
        insert("repayments_mistake", _mistakes(now, repayments, first), 300)
        insert("audit_entry", _entries(now, entries, first), entries)
        insert("writes_write", _writes(now, writes, first), writes)
        walked = AssessmentIndex.objects.create(
            app_id="kenya", complete_at=now, began_at=now, known=assessments, walk=1
        )
        rows = _assessments(now, assessments, walked.pk)
        insert("assessments_knownassessment", rows, assessments)
        insert("offers_offerrequest", _offers(now, writes, first), writes)
        days = max(repayments // 2_500, 1)
        insert("statements_statementfile", _statements(now, days, first), days)
        insert("statements_statementline", _statement_lines(now, days), days * _A_DAY)
        insert("statements_batch", _batches(now, days, first), days)
        insert("statements_allocation", _allocations(), days * _A_DAY)
        insert("statements_payerlink", _payers(now, first), _PAYERS)
        insert("repayments_cashcount", _cash_counts(now, days, first), days * CLERKS)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for table in _TABLES:
                cursor.execute(f"VACUUM ANALYZE {table}")


def _repayments(now: datetime, count: int, first: int) -> dict[str, str]:
    at = moment_of(now, count)
    # Of the open ones each has a loan of its own, as the table's constraint asks.
    loan = f"CASE WHEN n % 2500 = 0 THEN 'U-' || n ELSE 'L-' || {pad(f'n * 7919 % {LOANS}')} END"
    paid_on = moment_of(now, count, "0 - n * 31 % 259200")
    return {
        "app_id": _APP,
        "account_id": loan,
        "borrower_id": f"'B-' || {pad(f'n * 7919 % {LOANS} % 40000')}",
        "external_id": "'TX' || n",
        "external_id_key": "'tx' || n",
        "external_id_minted": "n < 0",
        "amount": "100 + n % 9000",
        "transaction_date": paid_on,
        "value_date": paid_on,
        "channel": "CASE n % 4 WHEN 0 THEN 'web' WHEN 1 THEN '' ELSE 'mobile' END",
        "network": "CASE WHEN n % 50000 = 7 THEN 'POSTBANK' WHEN n % 3 = 0 THEN ''"
        " ELSE 'M-PESA' END",
        "currency_code": "''",
        "notes": "''",
        "state": _STATE,
        "state_at": at,
        "created_at": at,
        "created_by_id": f"{first} + {_CLERK}",
        "send_before": moment_of(now, count, "30"),
        "ended_by_sweep": "n < 0",
        "sent_at": at,
        "idempotency_key": "'form-' || n",
        "duplicate": "n < 0",
        "status": "200",
        "error_description": "''",
        "request_id": "'request-' || n",
        "why": "''",
        "attempts": "0",
        # Due tomorrow: a page that takes a look waits for the service, and is not measured here.
        "next_check_at": f"CASE WHEN n % 2500 < 2 THEN {moment_of(now, count, '31622400')} END",
        "alarm": "CASE WHEN n % 5000 = 6 THEN 'The service acknowledged it late.' ELSE '' END",
        "alarm_at": f"CASE WHEN n % 5000 = 6 THEN {at} END",
        "alarm_seen_at": f"CASE WHEN n % 10000 = 6 THEN {at} END",
        "notified_at": f"CASE WHEN n % 2500 < 2 THEN {at} END",
        "set_aside_reason": "''",
        "approval_reasons": "''",
        "resolution": "CASE WHEN n % 4000 = 5 THEN 'recorded' WHEN n % 2000 = 5 THEN 'not_recorded'"
        " ELSE '' END",
        "resolution_reason": "''",
        "receipt_year": f"CASE WHEN ({_STATE}) = 'recorded' THEN {now.year} END",
        "receipt_sequence": f"CASE WHEN ({_STATE}) = 'recorded' THEN n END",
    }


def _readings(now: datetime, count: int) -> dict[str, str]:
    """Of each repayment's loan, before it and after."""
    return {
        "repayment_id": "(n + 1) / 2",
        "kind": "CASE n % 2 WHEN 1 THEN 'baseline' ELSE 'after' END",
        "taken_at": moment_of(now, count),
        "paid": "n % 9000 || '.50'",
        "unpaid": "n % 700 || '.25'",
        "next_amount": "n % 70 || '.25'",
        "next_due": "'2026-12-21T23:59:59.999000+00:00'",
        "fault": "''",
    }


def _mistakes(now: datetime, repayments: int, first: int) -> dict[str, str]:
    return {
        "repayment_id": f"n * {repayments // 301}",
        "note": "''",
        "reported_at": moment_of(now, 300),
        "reported_by_id": f"{first} + {_CLERK}",
        "idempotency_key": "'report-' || n",
        "reviewed_as": "CASE WHEN n % 5 = 0 THEN '' ELSE 'no_mistake' END",
        "reason": "''",
        "reviewed_at": f"CASE WHEN n % 5 <> 0 THEN {moment_of(now, 300)} END",
    }


def _entries(now: datetime, count: int, first: int) -> dict[str, str]:
    action = """CASE WHEN n % 100000 = 7 THEN 'dashboard.people.manage'
      WHEN n % 50 = 1 THEN 'dashboard.personalContent.reveal' WHEN n % 50 = 2 THEN 'borrowers.patch'
      WHEN n % 50 = 3 THEN 'events.create' WHEN n % 5 = 4 THEN 'sign-in'
      ELSE 'loans.makeRepayment' END"""
    borrower = f"{pad(f'n * 7919 % {LOANS} % 40000')}"
    subject = f"""CASE WHEN n % 50 IN (1, 3) THEN 'B-' || {borrower} || ' 2026-03-01T08:00:00Z'
      WHEN n % 50 = 2 THEN 'B-' || {borrower} WHEN n % 5 = 4 THEN ''
      ELSE 'L-' || {pad(f"n * 7919 % {LOANS}")} || ' rp-' || n END"""
    return {
        "at": moment_of(now, count),
        "user_id": f"{first} + {_CLERK}",
        "username": f"'clerk-' || substr({pad(_CLERK)}, 4, 3)",
        "role": "'support'",
        "action": action,
        "app_id": f"CASE WHEN n % 5 = 4 THEN '' ELSE {_APP} END",
        "subject": subject,
        "outcome": "'recorded'",
        "saved": "CASE WHEN n % 5 = 4 THEN '' ELSE 'yes' END",
        "request_id": "'request-' || n",
        "detail": "''",
        "url": "'/apps/kenya/repayments/' || n || '/'",
        "address": "'203.0.113.7'",
        "browser": "''",
        "mac": "''",
    }


def _writes(now: datetime, count: int, first: int) -> dict[str, str]:
    return {
        "idempotency_key": "'token-' || n",
        "person_id": f"{first} + {_CLERK}",
        "app_id": _APP,
        "operation": "CASE n % 3 WHEN 0 THEN 'events.create' WHEN 1 THEN 'borrowers.patch'"
        " ELSE 'loans.create' END",
        "subject": f"'B-' || {pad(f'n * 7919 % {LOANS} % 40000')}",
        "borrower_id": f"CASE WHEN n % 3 = 2 THEN 'B-' || {pad('n % 40000')} ELSE '' END",
        "state": "CASE WHEN n % 5000 = 0 THEN 'unknown' ELSE 'saved' END",
        "url": "'/apps/kenya/events/'",
        "card": "''",
        "submitted": "''",
        "alarm": "''",
        "again_at": "''",
        "created_at": moment_of(now, count),
        "found": "''",
        "attempts": "0",
        "next_check_at": f"CASE WHEN n % 5000 = 0 THEN {moment_of(now, count, '31622400')} END",
        "resolution": "''",
        "resolution_reason": "''",
    }


def _assessments(now: datetime, count: int, index: int) -> dict[str, str]:
    return {
        "index_id": f"{index}",
        "assessment_id": "'A-' || n",
        "account_id": f"'borrower:B-' || {pad(f'n * 7919 % {LOANS} % 40000')}",
        "assessment_type": "'assessmentTypes/credit-90-days'",
        "made_at": moment_of(now, count),
        "status": "'1'",
        "read_at": moment_of(now, count),
        "walk": "1",
    }


def _offers(now: datetime, count: int, first: int) -> dict[str, str]:
    return {
        "app_id": _APP,
        "borrower_id": f"'B-' || {pad(f'n * 7919 % {LOANS} % 40000')}",
        "request_id": "'O-' || n",
        "assessment_type": "'assessmentTypes/credit-90-days'",
        "asked_by_id": f"{first} + {_CLERK}",
        "asked_at": moment_of(now, count),
        "last_asked_at": moment_of(now, count),
        "state": "'done'",
        "expiry_time": moment_of(now, count),
        "answer": "''",
        "answered_at": moment_of(now, count),
    }


def _statements(now: datetime, count: int, first: int) -> dict[str, str]:
    """One statement a day."""
    return {
        "id": "n",
        "app_id": "'kenya'",
        "token": "'token-' || n",
        "digest": "'digest-' || n",
        "created_at": moment_of(now, count),
        "created_by_id": f"{first} + {_CLERK}",
        "content": "'x'",
        "layout": "'mpesa-organisation'",
        "network": "'M-PESA'",
        "account": "'123456'",
        "currency": "'KES'",
        **dict.fromkeys(("newest_first", "day_first", "day_is_proposed"), "n < 0"),
        "has_texts": "n > 0",
        **dict.fromkeys(("covers_from", "covers_to"), f"DATE({moment_of(now, count)})"),
        "searched_at": moment_of(now, count),
        "proof": "'{}'",
    }


def _statement_lines(now: datetime, files: int) -> dict[str, str]:
    """Each day's rows; of each second one the journal has the transaction id."""
    return {
        "file_id": f"(n - 1) / {_A_DAY} + 1",
        "position": f"(n - 1) % {_A_DAY} + 1",
        "number": f"(n - 1) % {_A_DAY} + 1",
        "kind": "CASE WHEN n % 3 = 0 THEN 'charge' ELSE 'payment' END",
        "receipt": "'TX' || n * 2",
        "receipt_key": "'tx' || n * 2",
        "is_damaged": "n < 0",
        "amount": "n % 900 + 1",
        "currency": "'KES'",
        "moment": moment_of(now, files * _A_DAY),
        "has_time": "n > 0",
        "about": "''",
        "place": "CASE WHEN n % 3 = 0 THEN '' WHEN n % 500 = 1 THEN 'unallocated' "
        "ELSE 'recorded' END",
        "place_reason": "''",
    }


def _batches(now: datetime, count: int, first: int) -> dict[str, str]:
    """What became of each day's payments."""
    return {
        "id": "n",
        "file_id": "n",
        "state": "'done'",
        "created_by_id": f"{first} + {_CLERK}",
        **dict.fromkeys(("began_at", "heartbeat_at"), moment_of(now, count)),
        **dict.fromkeys(("checked", "tries", "version"), "1"),
        **dict.fromkeys(("why", "approval_reasons"), "''"),
    }


def _allocations() -> dict[str, str]:
    """A row for each of a day's, most of them fine, two of three entered."""
    return {
        "batch_id": f"(n - 1) / {_A_DAY} + 1",
        "line_id": "n",
        "position": f"(n - 1) % {_A_DAY} + 1",
        "part": "1",
        "amount": "n % 900 + 1",
        "account_id": f"'L-' || {pad('n % 60000')}",
        "borrower_id": f"'B-' || {pad('n % 60000')}",
        "basis": "'loan'",
        "finding": "CASE WHEN n % 50 = 0 THEN 'overpaid' ELSE 'fine' END",
        "decision": "CASE WHEN n % 50 = 0 THEN 'open' ELSE 'accepted' END",
        "reason": "''",
        "attempt": "1",
        "is_held": "n < 0",
        "repayment_id": "CASE WHEN n % 3 = 0 THEN NULL ELSE n END",
    }


def _payers(now: datetime, first: int) -> dict[str, str]:
    """Who pays which loan, as somebody said."""
    return {
        "app_id": "'kenya'",
        "payer": "'payer-' || n",
        "account_id": f"'L-' || {pad('n')}",
        "borrower_id": f"'B-' || {pad('n')}",
        "shown": "''",
        "created_by_id": f"{first} + {_CLERK}",
        "created_at": moment_of(now, _PAYERS),
    }


def _cash_counts(now: datetime, days: int, first: int) -> dict[str, str]:
    """What each clerk's till held each day."""
    return {
        "app_id": _APP,
        "day": f"DATE({moment_of(now, days * CLERKS)})",
        "person_id": f"{first} + {_CLERK}",
        "currency": "'KES'",
        "amount": "n % 900 + 1",
        "counted_by_id": f"{first} + {_CLERK}",
        "counted_at": moment_of(now, days * CLERKS),
    }
