"""Places of a loan and its contract that the pages show in words. All others are Technical."""

from lendingadmin.lending.values import Loan
from lendingadmin.web.display.technical import list_places
from lendingadmin.web.display.templatetags.statuses import has_performance

_SUMS = "repayment principal interest fees"

# Places that the tables of instalments, templates/loans/_terms.html, _tranches.html and
# _adjustments.html show.
CONTRACT = frozenset(
    list_places("", "productId versionNo startDate maturityDate terms.period")
    | list_places("terms.penalty", "rate gracePeriod calculationMethod")
    | list_places("terms.interest", "maxAER maxAPR baseRate waiverRate riskPremiumRate")
    | list_places("terms.interest", "calculationMethod compoundingPeriod")
    | list_places("terms.fees[]", "kind value required description displayName")
    | list_places("terms.fees[]", "calculationMethod installmentTarget calculateInAdvance")
    | list_places("amounts", f"requested disbursement penalty {_SUMS}")
    | list_places("interestRates", "nominalRate periodicRate APR AER APY")
    | list_places("adjustments[]", "displayName description target action valueType source value")
    | list_places("tranches[]", "sequenceNo startDate dueDate amount")
    | list_places("installments[]", "sequenceNo dueDate")
    | list_places("installments[].amounts", _SUMS)
)

# Places that templates/loans/loan.html and its fragments show.
_LOAN = frozenset(
    list_places("", "accountId accountNo loanType borrowerId lenderId category sequenceNo")
    | list_places("", "productId loanAmount startDate maturityDate settlementDate createdAt")
    | list_places("", "status assessmentId requestId settings labels")
    | list_places("schedule", "daysLate nextInstallment.dueDate")
    | list_places("schedule.nextInstallment.amounts", f"penalty {_SUMS}")
    | list_places("result", "type reason message")
    | {
        place
        for part in f"penalty {_SUMS}".split()
        for place in list_places(f"balances.{part}", "due paid total unpaid overdue")
    }
    | {f"contract.{place}" for place in CONTRACT}
)


def find_places(loan: Loan) -> frozenset[str]:
    """Return the places of a loan that its page shows in words."""
    if has_performance(loan.status, loan.settlement_date):
        return _LOAN | {"performanceStatus"}
    return _LOAN
