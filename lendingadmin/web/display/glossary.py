"""What the words on the screen mean, for a person who is new to lending.

Each term as it stands in a page, and one or two plain sentences. Where the service decides how an
amount is computed, the sentence says no more than its specification does.
"""

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

TERMS = {
    # The loan and its money.
    _("principal"): _(
        "The amount lent, before interest and fees. What of it is still unpaid bears interest."
    ),
    _("disbursement"): _(
        "What the borrower is paid out: the principal, less what is deducted beforehand."
    ),
    _("tranche"): _("One part of the principal that is paid out by itself, with a day of its own."),
    _("adjustment"): _(
        "Something added to or taken off an amount of the contract, such as a fee that is kept "
        "back from the payout."
    ),
    _("interest"): _(
        "The price of borrowing, reckoned from a rate and from how much is owed for how long."
    ),
    _("fees"): _("Charges of the contract beside the interest, such as one for paying out."),
    _("instalment"): _("One payment of the schedule: an amount, and the day by which it is due."),
    _("repayment"): _(
        "Money that a borrower paid towards a loan. The service spreads it over what is owed."
    ),
    _("outstanding"): _(
        "All that is not paid yet, due or not: principal, interest, fees and penalty. In the "
        "portfolio, of open loans."
    ),
    _("overdue"): _(
        "What should have been paid by now and was not. It is part of what is outstanding. In the "
        "portfolio, of open loans."
    ),
    _("arrears"): _(
        "Instalments whose day has passed without being paid in full. A loan in arrears is late."
    ),
    _("maturity"): _("The day by which the whole loan is to be paid back."),
    _("term"): _("How long the loan runs, from its start to its maturity."),
    _("penalty"): _(
        "A charge on what is paid late. The contract says on which amount and at which rate."
    ),
    _("grace period"): _(
        "How long after its day an instalment may be unpaid before a penalty is charged."
    ),
    _("reducing balance"): _(
        "Interest is reckoned on the principal that is still unpaid, so that it falls with each "
        "repayment."
    ),
    _("settlement"): _(
        "The loan is paid in full and closed; the settlement date is the day on which that "
        "happened."
    ),
    _("performance"): _(
        "How an open loan keeps to its contract, as the service judges it (the service's "
        "specification of a loan)."
    ),
    _("outcome"): _("How a loan ended. The service fills it in once the account is closed."),
    # Rates.
    _("APR"): _(
        "Annual percentage rate: what a loan costs in a year, in per cent, usually with its fees. "
        "It lets one compare loans."
    ),
    _("AER"): _(
        "Annual effective rate: the interest of a year in per cent, with interest upon interest "
        "counted in."
    ),
    _("APY"): _(
        "Annual percentage yield: the same interest upon interest, seen by the one who lends."
    ),
    _("nominal rate"): _("The rate that the contract reckons from, before interest upon interest."),
    _("periodic rate"): _("The rate for a single compounding period, such as a month."),
    _("compounding period"): _(
        "How often interest is added up. The periodic rate is for one such period."
    ),
    _("base rate"): _("The product's rate before the risk of the borrower is looked at."),
    _("risk premium"): _(
        "What is added to the base rate for the risk of this borrower. An offer may set another "
        "one than the product has."
    ),
    _("waiver"): _("A part of the interest rate that the lender gives up."),
    _("effective rate"): _(
        "The rate with interest upon interest counted in. A product may say how high it can get."
    ),
    # Before the loan.
    _("assessment"): _(
        "The service's judgement, from the data reported for an account, whether to lend to it."
    ),
    _("look-back"): _("How far back from its time an assessment looks at an account's data."),
    _("risk level"): _("How risky the service holds lending to this account to be."),
    _("risk score"): _("The same risk as a number. The service says no more about its scale."),
    _("credit score"): _(
        "A number for how creditworthy an account is. The service says no more about its scale."
    ),
    _("rule"): _("A condition of the assessment. The one that failed decided its outcome."),
    _("offer"): _(
        "What a borrower may have now: products, a risk premium for each, and the most that is "
        "lent. It expires."
    ),
    _("credit limit"): _("The most that this offer lends."),
    _("preview"): _(
        "The contract as the service would make it for an amount and a day. Nothing is saved by it."
    ),
    # Recording repayments.
    _("transaction date"): _("When the borrower really paid."),
    _("value date"): _(
        "When a payment takes effect, for interest and for arrears. Left empty, it is the "
        "transaction date."
    ),
    _("transaction id"): _(
        "The payment network's own number of a payment. It keeps the same payment from being "
        "recorded twice."
    ),
    _("externalId"): _("The payment network's own number of a payment: the transaction id."),
    _("channel"): _("How the payment came in: over the web, by mobile phone, or in person."),
    _("network"): _("Who carried the payment, such as M-PESA or a bank."),
    _("estimate"): _(
        "What we expect of the payment from the balances just read. The service decides."
    ),
    _("evidence"): _(
        "The loan's balances, read before a repayment is sent and after it. They show whether it "
        "arrived."
    ),
    _("baseline"): _(
        "The balances read just before a repayment was sent. Later readings are compared with them."
    ),
    _("recorded"): _("The service answered that it has the repayment."),
    _("needs checking"): _(
        "It was sent, and no answer that decides it is kept. It may be recorded or not; do not "
        "enter it again."
    ),
    _("probably recorded"): _(
        "No answer is kept, but afterwards the loan's paid amount was higher by exactly this much. "
        "Another payment may explain it."
    ),
    _("not found at the service"): _(
        "No answer is kept, and after a while the loan still shows no rise. It may yet appear."
    ),
    _("refused"): _("The service said no, and nothing was recorded."),
    _("not sent"): _("It did not leave the dashboard, as far as its journal knows."),
    _("set aside"): _(
        "A manager put an open question aside, so that the customer's next payment can be entered. "
        "The question stays open."
    ),
    _("resolved by a person"): _("A person decided what became of a repayment, and said why."),
    _("counted as recorded"): _(
        "Recorded by the service, probably recorded by its balances, or resolved as recorded."
    ),
    _("not recorded"): _(
        "Refused by the service, not sent, or resolved by a person as not recorded."
    ),
    _("end of day"): _(
        "What was entered on a day, by person and channel, to be compared with the till."
    ),
    # The portfolio.
    _("open loan"): _(
        "One whose status has the word open. Where its status has no such word: one that has "
        "begun, and has neither a settlement date nor a result."
    ),
    _("outstanding principal"): _(
        "What open loans have not paid yet of the principal, due or not (the gross loan portfolio "
        "of CGAP, Microfinance Consensus Guidelines, 2003)."
    ),
    _("portfolio at risk"): _(
        "PAR 30: the outstanding principal of open loans more than 30 days late, as a share of all "
        "open loans' (CGAP, Microfinance Consensus Guidelines, 2003)."
    ),
    _("paid since the count before"): _(
        "How much the paid amounts of all loans, open or not, rose from one count of the portfolio "
        "to the next."
    ),
    _("principal disbursed by month"): _(
        "The principal of all loans that began in a month, open or closed since then."
    ),
}

_BY_WORD = {word.casefold(): text for word, text in TERMS.items()}


def find_explanation(term: object) -> str:
    """The sentences for a term, in any case; empty for a term without any."""
    return gettext(_BY_WORD.get(str(term).casefold(), ""))
