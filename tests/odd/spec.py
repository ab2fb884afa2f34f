"""The service's resources and the type of each of their fields, copied by eye from the spec.

Spec: Resources and their fields. It imports nothing of the product: when the two disagree, a test
fails. A type is one of SCALARS, or `array` (of what the spec does not show), `array of …` (of a
scalar, or of one or several resources of this table), `object …` (of a resource of this table).
`map` is of string to string, `open object` one whose fields the spec does not show.
"""

from collections.abc import Mapping

SCALARS = ("string", "timestamp", "date", "number", "boolean", "status", "millis", "any")
OPEN = ("map", "open object", "array")

Fields = Mapping[str, str]


def of(kind: str, names: str) -> dict[str, str]:
    """Fields of one type."""
    return dict.fromkeys(names.split(), kind)


# Conventions: what every stored resource carries besides its own fields.
STORED = of("string", "uid name") | of("timestamp", "createdAt")

BORROWERS: Mapping[str, Fields] = {
    "Borrower": STORED
    | of("string", "borrowerId category")
    | of("timestamp", "startDate")
    | of("status", "status")
    | of("number", "borrowerNo")
    | {
        "individual": "object Individual",
        "devices": "array of Device",
        "loans": "array of LoanSummary",
        "settings": "map",
    }
    | of("open object", "company profiles identity demographic"),
    "Individual": of(
        "string",
        "surname othernames sex governmentIdNo countryOfResidence emailAddress phoneNumber"
        " employmentStatus maritalStatus educationLevel",
    )
    | of("date", "dateOfBirth")
    | of("number", "noOfDependants")
    | of("array", "fingerprints photos"),
    "Device": of(
        "string",
        "deviceId deviceType modelNumber osName osVersion serialNumber equipmentId"
        " otherEquipmentId",
    )
    | of("timestamp", "createdAt")
    | of("boolean", "active"),
    "LoanSummary": of("string", "loanId assessmentId")
    | of("number", "principalAmount payableAmount paidAmount")
    | of("timestamp", "startDate endDate nextPaymentDate completionDate"),
}

LOANS: Mapping[str, Fields] = {
    "Loan": STORED
    | of(
        "string",
        "accountId loanType borrowerId lenderId category productId assessmentId appVersionId"
        " requestId",
    )
    | of("number", "accountNo sequenceNo loanAmount")
    | of("timestamp", "startDate maturityDate settlementDate")
    | of("status", "status performanceStatus")
    | {
        "contract": "object LendingContract",
        "balances": "object LoanBalances",
        "schedule": "object LoanSchedule",
        "result": "object LoanOutcome",
    }
    | of("open object", "settings labels"),
    "LoanBalances": of("object Balance", "fees penalty interest principal repayment"),
    "Balance": of("number", "due paid total unpaid overdue"),
    # The fields of nextInstallment are not shown; by its name it is one of the contract's.
    "LoanSchedule": {"daysLate": "number", "nextInstallment": "object Installment"},
    "LoanOutcome": of("string", "type reason message"),
}

CONTRACTS: Mapping[str, Fields] = {
    "LendingContract": {
        "productId": "string",
        "versionNo": "number",
        "startDate": "timestamp",
        "maturityDate": "timestamp",
        "terms": "object Terms",
        "amounts": "object ContractAmounts",
        "interestRates": "object InterestRates",
        "adjustments": "array of Adjustment",
        "tranches": "array of Tranche",
        "installments": "array of Installment",
    },
    "Terms": {
        "period": "string",
        "fees": "array of Fee",
        "penalty": "object Penalty",
        "interest": "object Interest",
    },
    "Penalty": of("number", "rate") | of("string", "gracePeriod calculationMethod"),
    "Interest": of("number", "maxAER maxAPR baseRate waiverRate riskPremiumRate")
    | of("string", "calculationMethod compoundingPeriod"),
    "ContractAmounts": of(
        "number", "requested disbursement principal interest repayment fees penalty"
    ),
    "InterestRates": of("number", "nominalRate periodicRate APR AER APY"),
    "Fee": of("string", "kind description displayName calculationMethod installmentTarget")
    | of("number", "value")
    | of("boolean", "required calculateInAdvance"),
    "Adjustment": of("string", "kind displayName description target action valueType source")
    | of("number", "value"),
    "Tranche": of("number", "sequenceNo amount") | of("timestamp", "startDate dueDate"),
    "Installment": of("number", "sequenceNo")
    | of("timestamp", "startDate dueDate")
    | {"amounts": "object InstallmentAmounts"},
    "InstallmentAmounts": of("number", "repayment principal interest fees penalty"),
}

ASSESSMENTS: Mapping[str, Fields] = {
    "Assessment": STORED
    | of("string", "accountId assessmentId assessmentType appVersionId requestId")
    | of("timestamp", "timestamp")
    | of("status", "status")
    | {"result": "object AssessmentOutcome"},
    "AssessmentOutcome": of("string", "type reason message rule riskLevel creditRating")
    | of("number", "riskScore creditScore"),
    "AssessmentType": STORED
    | of("string", "assessmentTypeId category period displayName description")
    | of("status", "status")
    | {"settings": "object AssessmentSettings"},
    "AssessmentSettings": {"apps": "object AssessedApps", "accounts": "object AssessedAccounts"},
    "AssessedApps": of("array of string", "channels platforms"),
    "AssessedAccounts": of("array of string", "categories accountTypes"),
}

PRODUCTS: Mapping[str, Fields] = {
    "Product": STORED
    | of("string", "productId productType displayName description skuId")
    | of("status", "status")
    | of("number", "displayPriority")
    | {"terms": "object LendingTerms", "labels": "open object", "charges": "array of Charge"},
    # The sentence can be read with `adjustment` in the terms or in their interest: so it is both.
    "LendingTerms": of("string", "period repaymentInterval")
    | {"interest": "object ProductInterest", "adjustment": "object TermsAdjustment"},
    "ProductInterest": of("string", "type termPeriod")
    | of("number", "baseRate maxEffectiveRate riskPremiumRate")
    | {"adjustment": "object TermsAdjustment"},
    "TermsAdjustment": of("string", "action target valueType"),
    "Charge": of("string", "name kind action target valueType displayName") | of("number", "value"),
}

# An EntityValueSet once for each kind, because the kind decides about its values.
EVENTS: Mapping[str, Fields] = {
    "Event": STORED
    | of("string", "accountId eventId eventType appVersionId category")
    | of("timestamp", "timestamp")
    | of("status", "status")
    | {
        "data": "array of SmsSet ContactSet BatterySet LocationSet AppSet",
        "result": "open object",
    },
    "SmsSet": {"kind": "string", "values": "array of Sms"},
    "ContactSet": {"kind": "string", "values": "array of Contact"},
    "BatterySet": {"kind": "string", "values": "array of Battery"},
    "LocationSet": {"kind": "string", "values": "array of Location"},
    "AppSet": {"kind": "string", "values": "array of App"},
    "Sms": of("string", "address direction smsId rawBody")
    | of("boolean", "read")
    | of("millis", "timestamp"),
    "Contact": {
        "name": "string",
        "primaryAddress": "object ContactAddress",
        "otherAddresses": "array of ContactAddress",
    },
    "ContactAddress": of("string", "addressName addressType"),
    "Battery": of("millis", "timestamp")
    | of("boolean", "isCharging")
    | of("string", "chargingMethod")
    | of("number", "level"),
    "Location": of("millis", "timestamp") | of("string", "latLng"),
    "App": of("millis", "timestamp") | of("string", "name package label"),
}

OFFERS: Mapping[str, Fields] = {
    "Operation": of("string", "name operationId")
    | of("boolean", "done")
    | {"metadata": "object Metadata", "result": "object OfferResult"},
    "Metadata": of("string", "status projectId appId accountId requestId assessmentId")
    | of("timestamp", "startTime endTime expiryTime"),
    # Of `error` the spec only says that it is null on success.
    "OfferResult": {"error": "any", "response": "object GetOffersResponse"},
    "GetOffersResponse": of("number", "creditLimit interestRateWaiver")
    | {"products": "array of OfferProduct", "validFrom": "timestamp"},
    "OfferProduct": {"productId": "string", "terms": "object OfferTerms"},
    "OfferTerms": {"interest": "object OfferInterest"},
    "OfferInterest": of("number", "riskPremiumRate"),
}

RESOURCES: Mapping[str, Fields] = {
    **BORROWERS,
    **LOANS,
    **CONTRACTS,
    **ASSESSMENTS,
    **PRODUCTS,
    **EVENTS,
    **OFFERS,
}


def objects_in(kind: str) -> tuple[str, ...]:
    """The resources of this table that a type is of: none, one, or several."""
    return tuple(word for word in kind.split() if word in RESOURCES)
