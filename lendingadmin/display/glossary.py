"""What the words on the screen mean, for a person who is new to lending.

Each term as it stands in a page, and one or two plain sentences. Where the service decides how an
amount is computed, the sentence says no more than its specification does.
"""

TERMS = {
    # The loan and its money.
    "principal": "The amount lent, before interest and fees. What of it is still unpaid bears "
    "interest.",
    "disbursement": "What the borrower is paid out: the principal, less what is deducted "
    "beforehand.",
    "tranche": "One part of the principal that is paid out by itself, with a day of its own.",
    "adjustment": "Something added to or taken off an amount of the contract, such as a fee that "
    "is kept back from the payout.",
    "interest": "The price of borrowing, reckoned from a rate and from how much is owed for how "
    "long.",
    "fees": "Charges of the contract beside the interest, such as one for paying out.",
    "instalment": "One payment of the schedule: an amount, and the day by which it is due.",
    "repayment": "Money that a borrower paid towards a loan. The service spreads it over what is "
    "owed.",
    "outstanding": "All that is not paid yet, due or not: principal, interest, fees and penalty. "
    "In the portfolio, of open loans.",
    "overdue": "What should have been paid by now and was not. It is part of what is outstanding. "
    "In the portfolio, of open loans.",
    "arrears": "Instalments whose day has passed without being paid in full. A loan in arrears is "
    "late.",
    "maturity": "The day by which the whole loan is to be paid back.",
    "term": "How long the loan runs, from its start to its maturity.",
    "penalty": "A charge on what is paid late. The contract says on which amount and at which "
    "rate.",
    "grace period": "How long after its day an instalment may be unpaid before a penalty is "
    "charged.",
    "reducing balance": "Interest is reckoned on the principal that is still unpaid, so that it "
    "falls with each repayment.",
    "settlement": "The loan is paid in full and closed; the settlement date is the day on which "
    "that happened.",
    "performance": "How an open loan keeps to its contract, as the service judges it (the "
    "service's specification of a loan).",
    "outcome": "How a loan ended. The service fills it in once the account is closed.",
    # Rates.
    "APR": "Annual percentage rate: what a loan costs in a year, in per cent, usually with its "
    "fees. It lets one compare loans.",
    "AER": "Annual effective rate: the interest of a year in per cent, with interest upon "
    "interest counted in.",
    "APY": "Annual percentage yield: the same interest upon interest, seen by the one who lends.",
    "nominal rate": "The rate that the contract reckons from, before interest upon interest.",
    "periodic rate": "The rate for a single compounding period, such as a month.",
    "compounding period": "How often interest is added up. The periodic rate is for one such "
    "period.",
    "base rate": "The product's rate before the risk of the borrower is looked at.",
    "risk premium": "What is added to the base rate for the risk of this borrower. An offer may "
    "set another one than the product has.",
    "waiver": "A part of the interest rate that the lender gives up.",
    "effective rate": "The rate with interest upon interest counted in. A product may say how high "
    "it can get.",
    # Before the loan.
    "assessment": "The service's judgement, from the data reported for an account, whether to lend "
    "to it.",
    "look-back": "How far back from its time an assessment looks at an account's data.",
    "risk level": "How risky the service holds lending to this account to be.",
    "risk score": "The same risk as a number. The service says no more about its scale.",
    "credit score": "A number for how creditworthy an account is. The service says no more about "
    "its scale.",
    "rule": "A condition of the assessment. The one that failed decided its outcome.",
    "offer": "What a borrower may have now: products, a risk premium for each, and the most that "
    "is lent. It expires.",
    "credit limit": "The most that this offer lends.",
    "preview": "The contract as the service would make it for an amount and a day. Nothing is "
    "saved by it.",
    # Recording repayments.
    "transaction date": "When the borrower really paid.",
    "value date": "When a payment takes effect, for interest and for arrears. Left empty, it is "
    "the transaction date.",
    "transaction id": "The payment network's own number of a payment. It keeps the same payment "
    "from being recorded twice.",
    "externalId": "The payment network's own number of a payment: the transaction id.",
    "channel": "How the payment came in: over the web, by mobile phone, or in person.",
    "network": "Who carried the payment, such as M-PESA or a bank.",
    "estimate": "What we expect of the payment from the balances just read. The service decides.",
    "evidence": "The loan's balances, read before a repayment is sent and after it. They show "
    "whether it arrived.",
    "baseline": "The balances read just before a repayment was sent. Later readings are compared "
    "with them.",
    "recorded": "The service answered that it has the repayment.",
    "needs checking": "It was sent, and no answer that decides it is kept. It may be recorded or "
    "not; do not enter it again.",
    "probably recorded": "No answer is kept, but afterwards the loan's paid amount was higher by "
    "exactly this much. Another payment may explain it.",
    "not found at the service": "No answer is kept, and after a while the loan still shows no "
    "rise. It may yet appear.",
    "refused": "The service said no, and nothing was recorded.",
    "not sent": "It did not leave the dashboard, as far as its journal knows.",
    "set aside": "A manager put an open question aside, so that the customer's next payment can be "
    "entered. The question stays open.",
    "resolved by a person": "A person decided what became of a repayment, and said why.",
    "counted as recorded": "Recorded by the service, probably recorded by its balances, or "
    "resolved as recorded.",
    "not recorded": "A person resolved it as not recorded.",
    "end of day": "What was entered on a day, by person and channel, to be compared with the till.",
    # The portfolio.
    "open loan": "One whose status has the word open. Where its status has no such word: one that "
    "has begun, and has neither a settlement date nor a result.",
    "outstanding principal": "What open loans have not paid yet of the principal, due or not (the "
    "gross loan portfolio of CGAP, Microfinance Consensus Guidelines, 2003).",
    "portfolio at risk": "PAR 30: the outstanding principal of open loans more than 30 days late, "
    "as a share of all open loans' (CGAP, Microfinance Consensus Guidelines, 2003).",
    "paid since the count before": "How much the paid amounts of all loans, open or not, rose from "
    "one count of the portfolio to the next.",
    "principal disbursed by month": "The principal of all loans that began in a month, open or "
    "closed since then.",
}  # fmt: skip

_BY_WORD = {word.casefold(): text for word, text in TERMS.items()}


def find_explanation(term: object) -> str:
    """The sentences for a term, in any case; empty for a term without any."""
    return _BY_WORD.get(str(term).casefold(), "")
