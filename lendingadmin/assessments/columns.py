"""The columns of assessments, for their list and wherever else assessments are listed."""

from lendingadmin.display.assessments import outcome, risk, type_id
from lendingadmin.display.statuses import processing
from lendingadmin.display.templatetags.assessments import score
from lendingadmin.display.templatetags.statuses import chip
from lendingadmin.display.templatetags.times import moment
from lendingadmin.display.text import shown, spelled
from lendingadmin.gateway import LendingApp
from lendingadmin.lending.ids import resource_id
from lendingadmin.lending.values import Assessment, text
from lendingadmin.ui.converters import addresses
from lendingadmin.ui.tables import (
    Column,
    id_link,
    labelled_day,
    make_getter,
    row_id,
    row_name,
    side_by_side,
    two_lines,
)

ACCOUNT = "Account"

_outcome = make_getter("result.type")
_reason = make_getter("result.reason")
_risk = make_getter("result.risk_level")
_risk_score = make_getter("result.risk_score")
_credit_score = make_getter("result.credit_score")


def columns(app: LendingApp, mark: str = "") -> tuple[Column, ...]:
    """The columns of assessments of one app; `mark` is their list's place (`ui.neighbours`)."""
    assessment_at = addresses("assessment", app.app_id)
    borrower_at = addresses("borrower", app.app_id)

    def name(assessment: Assessment) -> str:
        key = text(assessment.assessment_id) or text(assessment.uid) or ""
        if not key:
            head = shown(assessment.assessment_id)
        else:
            head = row_id(assessment_at(key) + mark, key, row_name(key) if mark else "")
        return two_lines(head, type_id(assessment.assessment_type))

    def account(assessment: Assessment) -> str:
        key = resource_id(assessment.account_id)
        return id_link(borrower_at(key), key) if key else shown(assessment.account_id)

    def dates(assessment: Assessment) -> str:
        started = labelled_day("started", moment(assessment.created_at, app.zone))
        return two_lines(moment(assessment.timestamp, app.zone), started)

    return (
        Column("Assessment", name),
        Column(ACCOUNT, account),
        Column("Outcome", _result),
        Column("Risk", lambda assessment: side_by_side(chip(risk(_risk(assessment))))),
        Column("Risk score", lambda assessment: score(_risk_score(assessment)), number=True),
        Column("Credit score", lambda assessment: score(_credit_score(assessment)), number=True),
        Column("Data up to", dates),
    )


def _result(assessment: Assessment) -> str:
    told = outcome(_outcome(assessment)) if assessment.result else processing(assessment.status)
    reason = _reason(assessment)
    return two_lines(side_by_side(chip(told)), reason and spelled(reason))
