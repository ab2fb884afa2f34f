"""The refusal of a loan in plain words, from an assessment or from a request for offers.

The service gives the reasons. The spec shows only some of the service's codes, so a reason with an
unknown code is quoted. If the service gives no reason, no paper is made.
"""

import re
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, override

from lendingadmin.lending.values import (
    Assessment,
    AssessmentOutcome,
    OfferResult,
    moment,
    text,
)
from lendingadmin.records.assessments.running import id_of, is_running
from lendingadmin.records.offers.models import OfferRequest, OfferState
from lendingadmin.web.display.text import spelled

from .contents import Content, Subject, Table, Writer
from .figures import Unfit

_TOO_LITTLE = (
    gettext_lazy("There was too little data about you. This result is not a judgement of you."),
    gettext_lazy("Open the lending app, so that it reports data. Then ask for a loan again."),
)
# The reason and the remedy for each known code, of a reason or of a failed rule.
_REASONS = {
    "no_data": _TOO_LITTLE,
    "too_little_data": _TOO_LITTLE,
    "arrears_over_30_days": (
        gettext_lazy("A loan of yours is more than 30 days late."),
        gettext_lazy("Pay what is overdue. Then ask for a loan again."),
    ),
    "money_out_over_twice_money_in": (
        gettext_lazy(
            "The money that left your account was more than twice the money that came in."
        ),
        gettext_lazy("Ask again when more money comes in than goes out."),
    ),
    "score_below_450": (
        gettext_lazy("Your credit score is below 450."),
        gettext_lazy("Repay your loans on time. This raises your score."),
    ),
}
_CODE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")


class Refusal(NamedTuple):
    """The reasons of the service why a borrower gets no loan.

    `codes` are codes of reasons. `words` are the service's own sentences. `level` is the level of
    risk. `label` and `reference` name the record with these reasons. `time` is the time of this
    record, with its label.
    """

    label: str
    reference: str
    time: tuple[str, datetime | None]
    codes: tuple[str, ...]
    words: str = ""
    level: str = ""
    has_product: bool = True


def read_assessment(found: Assessment) -> Refusal:
    """Return the refusal in an assessment. Raise Unfit without a refusal or without a reason."""
    if is_running(found):
        raise Unfit("not-finished")
    result = found.result
    if result is None:
        raise Unfit("no-result")
    if not isinstance(result, AssessmentOutcome):
        raise Unfit("no-reason")
    if result.type not in ("declined", "invalid"):
        raise Unfit("not-refused")
    codes = dict.fromkeys(filter(None, (text(result.reason), text(result.rule))))
    level = text(result.risk_level) or "" if result.type == "declined" else ""
    words = text(result.message) or ""
    if not (codes or words or level):
        raise Unfit("no-reason")
    time = (gettext_noop("Data up to"), moment(found.timestamp))
    return Refusal(gettext_noop("Assessment"), id_of(found), time, tuple(codes), words, level)


def read_offer(row: OfferRequest) -> Refusal:
    """Return the refusal in a request for offers.

    Raise Unfit if there is no refusal, or no reason for the refusal.
    """
    if row.state in (OfferState.ASKED, OfferState.RUNNING):
        raise Unfit("not-finished")
    of = (gettext_noop("Offer"), row.request_id, (gettext_noop("Answered"), row.answered_at))
    if row.state == OfferState.DONE and row.response and row.response.products == ():
        return Refusal(*of, (), has_product=False)
    if row.state != OfferState.FAILED:
        raise Unfit("not-refused")
    result = row.operation.result if row.operation else None
    said = text(result.error) if isinstance(result, OfferResult) else None
    if not said or not said.strip():
        raise Unfit("no-reason")
    code, _colon, words = said.partition(":")
    if _CODE.fullmatch(code.strip()):
        return Refusal(*of, (code.strip(),), words.strip())
    return Refusal(*of, (), said.strip())


def write_refusal(found: Refusal, subject: Subject) -> Content:
    """Return the refusal in words, with possible remedies and the contact for questions.

    Raise Unfit if the settings have no contact for questions.
    """
    lender = subject.lender
    contact = lender.phone or lender.complaints
    if not contact:
        raise Unfit("no-contact")
    with override(subject.language):
        writer = Writer(subject)
        facts = [*writer.write_people(), (_(found.label), found.reference)]
        label, at = found.time
        if at:
            facts.append((_(label), writer.moment(at)))
        content = Content(_("Reasons for a refusal"), writer.lender, subject.app.currency, facts)
        content.paragraphs = [_("You asked for a loan. We can't offer you a loan now.")]
        reasons = _list_reasons(found)
        remedies = [str(_REASONS[one][1]) for one in found.codes if one in _REASONS]
        if not remedies:
            remedies = [_("Ask us what you can do before you ask for a loan again.")]
        rows = [[_("Reason"), one] for one in dict.fromkeys(reasons)]
        rows += [[_("Advice"), one] for one in dict.fromkeys(remedies)]
        rows.append([_("Questions to"), contact])
        content.tables = [Table("reasons", "", rows)]
        content.notes = [_("This paper is free of charge.")]
        given = {"reason": reasons[0], "contact": contact}
        words = _("%(lender)s: we can't offer you a loan now. %(reason)s Questions: %(contact)s")
        short = _("%(lender)s: we can't offer you a loan now. Questions: %(contact)s")
        content.sms = writer.fit(given, words) or writer.fit(given, short)
    return content


def _list_reasons(found: Refusal) -> list[str]:
    """Return the reasons as sentences. A reason with an unknown code quotes the code."""
    if not found.has_product:
        return [_("We can't offer you any of our loans now.")]
    quoted = _("The assessment gives this reason: %(code)s.")
    reasons = [
        str(_REASONS[one][0]) if one in _REASONS else quoted % {"code": spelled(one)}
        for one in found.codes
    ]
    is_known = bool(found.codes) and all(one in _REASONS for one in found.codes)
    if found.words and not is_known:
        reasons.append(_("The assessment says: “%(words)s”") % {"words": found.words})
    if found.level and not reasons:
        level = {"level": _(spelled(found.level))}
        reasons.append(_("The assessment found this level of risk: %(level)s.") % level)
    return reasons
