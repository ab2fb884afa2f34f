"""Which queries of a piece of work would read a large table whole, by SQLite's own plans.

SQLite keeps no figures of its tables here, so a plan is the same over ten rows and over a million.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

LARGE = (
    *("repayments_repayment", "repayments_reading", "audit_entry", "writes_write"),
    *("people_index_borrowercard", "people_index_cardtoken", "people_index_wordkey"),
    *("assessments_knownassessment", "offers_offerrequest", "statements_statementline"),
    *("statements_allocation", "notes_note", "notes_noteversion", "notes_mention"),
    "assignments_assignment",
    *("collections_call", "collections_promise", "collections_contact", "collections_stop"),
    *("sheets_sheet", "sheets_sheetrow", "sheets_sheetreturn", "papers_paper"),
    *("papers_bulkpapers", "papers_bulkrow"),
)
# An index by one of these alone gives a large part of its table.
_VAST = {"app_id=?", "action=?", "created_by_id=?", "<expr>=?", "index_id=?"}
# Only few rows are in these indexes, or in what is asked of them: what needs checking, money that
# is nowhere, pinned notes, stops that hold, promises of a state.
_SMALL = (
    *("repayment_needs_checking", "statement_line_unallocated", "note_pinned"),
    *("collections_stop_open", "collections_promise_by_day"),
)
_STEP = re.compile(r"(SCAN|SEARCH) (\w+)(?: USING .*?(?:INDEX|KEY)(?: \w+)?(?: \((.*)\))?)?$")

Query = tuple[str, tuple[Any, ...]]


@contextmanager
def watched_queries() -> Iterator[list[Query]]:
    """The queries of this block that read large tables, with their parameters as they were sent."""
    found: list[Query] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith("INSERT") and any(f'"{table}"' in sql for table in LARGE):
            found.append((sql, tuple(params or ())))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield found


def scans_of(queries: list[Query]) -> list[str]:
    """What of these reads a large table whole, each in a line with its plan."""
    found = []
    for sql, params in queries:
        plan = explain(sql, params)
        found += [f"{line}\n    {sql}" for line in plan if _is_scan(line, sql, plan)]
    return found


def explain(sql: str, params: tuple[Any, ...]) -> list[str]:
    """The steps of SQLite's plan."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        return [row[3] for row in cursor.fetchall()]


def _is_scan(line: str, sql: str, plan: list[str]) -> bool:
    step = _STEP.match(line)
    if not step or _table(step[2], sql) not in LARGE:
        return False
    is_small = any(name in line for name in _SMALL)
    if is_small or (step[1] == "SEARCH" and step[3] not in _VAST):
        return False
    # In the order of an index, and only as far as it was asked for: a page of a list.
    in_order = not any("TEMP B-TREE FOR" in other for other in plan)
    return not (in_order and " LIMIT " in sql and not _picks(sql, step[1]))


def _table(alias: str, sql: str) -> str:
    named = re.search(rf'"(\w+)" {alias}\b', sql)
    return named[1] if named else alias


def _picks(sql: str, step: str) -> bool:
    """Whether rows are left out by what the step does not look for.

    What stands in CASE is looked for among a limited number of rows (web/keyset.py).
    """
    where = re.search(r" WHERE (.*?)(?: ORDER BY | LIMIT )", re.sub(r"CASE WHEN.* END", "1", sql))
    conditions = where[1].split(" AND ") if where else []
    rest = [one for one in conditions if one.strip("()") != "1"]
    return len(rest) > (1 if step == "SEARCH" else 0)
