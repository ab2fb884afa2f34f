"""Glossary of the words on the screen, for a person who is new to lending.

Each term is written as on the pages and has one or two plain sentences. If the service decides how
an amount is computed, the sentence contains only facts from its specification.
"""

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

TERMS = {
    # The loan and its money.
    _("principal"): _(
        "The amount lent, before interest and fees. Interest is charged on the part "
        "that is not repaid."
    ),
    _("disbursement"): _("The amount paid out to the borrower: the principal minus deductions."),
    _("tranche"): _("A part of the principal that is paid out separately, on a different day."),
    _("adjustment"): _(
        "An amount that is added to the contract's amounts or deducted, such as a fee that "
        "reduces the payout."
    ),
    _("interest"): _(
        "The cost of borrowing: a rate on the amount owed, for the time that the amount is owed."
    ),
    _("fees"): _("Charges in the contract that are not interest, such as a fee for the payout."),
    _("instalment"): _("One payment of the schedule: an amount and its due date."),
    _("repayment"): _(
        "Money that a borrower paid for a loan. The service divides the money between the "
        "amounts owed."
    ),
    _("outstanding"): _(
        "The total that is not paid yet, due or not: principal, interest, fees and penalty. "
        "The portfolio includes only open loans."
    ),
    _("overdue"): _(
        "The part of the outstanding amount that was due and is not paid. The portfolio "
        "includes only open loans."
    ),
    _("arrears"): _(
        "Instalments that were due and are not paid in full. A loan in arrears is late."
    ),
    _("maturity"): _("The day when the last instalment is due."),
    _("term"): _("The time from the loan's start to its maturity."),
    _("penalty"): _(
        "A charge on late amounts. The contract says on which amount and at which rate."
    ),
    _("grace period"): _("The number of days after the due date before a penalty is charged."),
    _("reducing balance"): _(
        "Interest is calculated on the unpaid principal, so the interest falls with each repayment."
    ),
    _("settlement"): _(
        "The loan is paid in full and closed. The settlement date is the day when the loan was "
        "closed."
    ),
    _("performance"): _(
        "The service's opinion on how well the borrower of an open loan follows the contract."
    ),
    _("result"): _("The result of a closed loan. The service sets the result."),
    # Rates.
    _("APR"): _(
        "Annual percentage rate: the cost of a loan for one year in per cent, usually with "
        "fees. Use this rate to compare loans."
    ),
    _("AER"): _(
        "Annual effective rate: the interest for one year in per cent, with interest on interest."
    ),
    _("APY"): _(
        "Annual percentage yield: the lender's interest income for one year, with interest on "
        "interest."
    ),
    _("nominal rate"): _("The rate of the contract, without interest on interest."),
    _("periodic rate"): _("The rate for one compounding period, such as a month."),
    _("compounding period"): _(
        "The time after which interest is added to the amount owed. The periodic rate is the "
        "rate for one compounding period."
    ),
    _("base rate"): _("The product's rate, before the risk of the borrower is added."),
    _("risk premium"): _(
        "A rate added to the base rate for the risk of this borrower. The premium of an offer "
        "can differ from the premium of the product."
    ),
    _("waiver"): _("A part of the interest rate that the lender does not charge."),
    _("effective rate"): _("The rate with interest on interest. A product may state a maximum."),
    # Before the loan.
    _("assessment"): _(
        "The service's advice on lending to an account, from the data reported for this account."
    ),
    _("data period"): _(
        "The period of data that an assessment uses. The period ends at the time that was "
        "entered for the assessment."
    ),
    _("risk level"): _("The risk of lending to this account, as the service estimates it."),
    _("risk score"): _(
        "The risk of lending to this account, as a number. The service does not explain the scale."
    ),
    _("credit score"): _(
        "A number for the creditworthiness of an account. The service does not explain the scale."
    ),
    _("rule"): _("A condition in an assessment. If a rule fails, this rule decides the result."),
    _("offer"): _(
        "Products for a borrower: each has a risk premium, and the offer has a maximum amount. "
        "An offer expires."
    ),
    _("credit limit"): _("The maximum amount of this offer."),
    _("preview"): _(
        "The contract that the service would make for this amount and day. Nothing is saved."
    ),
    # Recording repayments.
    _("transaction date"): _("The time when the borrower paid."),
    _("value date"): _(
        "The time when a repayment takes effect for interest and arrears. If the value date is "
        "empty, the transaction date is used."
    ),
    _("transaction id"): _(
        "The payment network's code for a payment. The dashboard uses this code to avoid "
        "recording a payment twice."
    ),
    _("externalId"): _("The payment network's code for a payment: the transaction id."),
    _("channel"): _("The way a payment was made: on the web, by mobile phone or in person."),
    _("network"): _("The company that carried the payment, such as M-PESA or a bank."),
    _("estimate"): _(
        "The effect that a repayment should have. The dashboard computes the effect from the "
        "current balances, but the service decides."
    ),
    _("evidence"): _(
        "The loan's balances before and after a repayment was sent. The balances show "
        "whether the repayment arrived."
    ),
    _("baseline"): _(
        "The balances just before a repayment was sent. The dashboard compares later readings "
        "with the baseline."
    ),
    _("recorded"): _("The service confirmed that the repayment is recorded."),
    _("needs checking"): _(
        "The repayment was sent, but there is no clear answer. The repayment may be recorded "
        "or not. Do not enter it again."
    ),
    _("probably recorded"): _(
        "There is no answer, but the loan's paid amount rose by exactly the amount of the "
        "repayment. Another payment may explain the rise."
    ),
    _("not found at the service"): _(
        "There is no answer, and the loan's paid amount did not rise. The repayment may "
        "still appear."
    ),
    _("refused"): _("The service refused the repayment, and nothing was recorded."),
    _("not sent"): _("The repayment was not sent, according to our records."),
    _("set aside"): _(
        "A manager set a repayment aside, so that the customer's next repayment can be "
        "entered. The repayment stays open."
    ),
    _("resolved by a person"): _(
        "A person decided whether a repayment was recorded, and gave a reason."
    ),
    _("counted as recorded"): _(
        "Recorded at the service, probably recorded according to the balances, or "
        "resolved as recorded."
    ),
    _("not recorded"): _(
        "Refused by the service, not sent, or resolved by a person as not recorded."
    ),
    _("end of day"): _(
        "Repayments entered on a day, by person and channel, to compare with the cash."
    ),
    # The portfolio.
    _("open loan"): _(
        "A loan with the status “open”. If the loan has no status, an open loan has started "
        "and has no settlement date and no result."
    ),
    _("outstanding principal"): _(
        "The unpaid principal of open loans, due or not (called gross loan portfolio in "
        "CGAP, Microfinance Consensus Guidelines, 2003)."
    ),
    _("portfolio at risk"): _(
        "PAR 30: outstanding principal of open loans over 30 days late, divided by the "
        "outstanding principal of all open loans; see CGAP, Microfinance Consensus "
        "Guidelines, 2003."
    ),
    _("paid since last update"): _(
        "The amount by which the paid amounts of all loans rose between the last two updates."
    ),
    _("principal disbursed by month"): _(
        "The principal of all loans that started in a month, open or closed."
    ),
}

_BY_WORD = {word.casefold(): text for word, text in TERMS.items()}


def find_explanation(term: object) -> str:
    """Return the sentences for a term, regardless of case; empty if there are none."""
    return gettext(_BY_WORD.get(str(term).casefold(), ""))
