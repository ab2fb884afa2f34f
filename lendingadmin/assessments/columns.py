"""The columns of assessments, for their list and wherever else assessments are listed."""

from lendingadmin.display.assessments import outcome, risk, type_id
from lendingadmin.display.statuses import processing
from lendingadmin.display.templatetags.assessments import score
from lendingadmin.display.templatetags.statuses import chip
from lendingadmin.display.templatetags.times import moment
from lendingadmin.display.text import shown, spelled
from lendingadmin.lending.ids import resource_id
from lendingadmin.lending.values import Assessment, text
from lendingadmin.readers import LendingApp
from lendingadmin.web.keys import addresses
from lendingadmin.web.tables import Column, above, dated, digger, id_link, row_id, row_name, row_of

ACCOUNT = "Account"

_outcome = digger("result.type")
_reason = digger("result.reason")
_risk = digger("result.risk_level")
_risk_score = digger("result.risk_score")
_credit_score = digger("result.credit_score")


def columns(app: LendingApp, mark: str = "") -> tuple[Column, ...]:
    """The columns of assessments of one app; `mark` is their list's place (`web.beside`)."""
    assessment_at = addresses("assessment", app.app_id)
    borrower_at = addresses("borrower", app.app_id)

    def name(assessment: Assessment) -> str:
        key = text(assessment.assessment_id) or text(assessment.uid) or ""
        if not key:
            head = shown(assessment.assessment_id)
        else:
            head = row_id(assessment_at(key) + mark, key, row_name(key) if mark else "")
        return above(head, type_id(assessment.assessment_type))

    def account(assessment: Assessment) -> str:
        key = resource_id(assessment.account_id)
        return id_link(borrower_at(key), key) if key else shown(assessment.account_id)

    def dates(assessment: Assessment) -> str:
        started = dated("started", moment(assessment.created_at, app.zone))
        return above(moment(assessment.timestamp, app.zone), started)

    return (
        Column("Assessment", name),
        Column(ACCOUNT, account),
        Column("Outcome", _result),
        Column("Risk", lambda assessment: row_of(chip(risk(_risk(assessment))))),
        Column("Risk score", lambda assessment: score(_risk_score(assessment)), number=True),
        Column("Credit score", lambda assessment: score(_credit_score(assessment)), number=True),
        Column("Data up to", dates),
    )


def _result(assessment: Assessment) -> str:
    told = outcome(_outcome(assessment)) if assessment.result else processing(assessment.status)
    reason = _reason(assessment)
    return above(row_of(chip(told)), reason and spelled(reason))
