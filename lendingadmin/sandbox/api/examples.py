"""Example bodies of the operations for the document. They can be sent in this order."""

from collections.abc import Mapping
from typing import Any

from lendingadmin.sandbox.rules.entity_values import DOMAIN

_AT = "2024-03-01T08:30:00.000Z"
_TYPE = "assessmentTypes/credit-90-days"
_SMS = {
    "smsId": "1",
    "address": "M-PESA",
    "direction": "inbound",
    "read": True,
    "timestamp": 1709200000000,
    "rawBody": "You have received Ksh 1,500.00 from JANE WAMBUI on 29/2/24",
}
_SUMMARY = {
    "creditLimit": 50000,
    "products": [
        {"productId": "term-6-months", "terms": {"interest": {"riskPremiumRate": 0.04}}},
    ],
    "interestRateWaiver": 0,
}

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "borrowers.create": {
        "borrowerId": "b",
        "category": "individual",
        "individual": {
            "surname": "Odhiambo",
            "othernames": "Grace Achieng",
            "dateOfBirth": "1991-04-17",
            "phoneNumber": "+254700000001",
            "noOfDependants": 2,
        },
        "devices": [{"deviceId": "d-1", "deviceType": "phone", "osName": "Android"}],
        "settings": {"timezone": "Africa/Nairobi"},
    },
    "borrowers.patch": {"settings": {"timezone": "Africa/Kampala"}},
    "events.create": {
        "accountId": "borrower:b",
        "eventType": "personal_data.captured",
        "timestamp": _AT,
        "category": "sms",
        "data": [{"kind": f"{DOMAIN}/sms", "values": [_SMS]}],
    },
    "assessments.create": {
        "accountId": "borrower:b",
        "assessmentType": _TYPE,
        "timestamp": _AT,
    },
    "borrowers.getOffers": {"assessmentType": _TYPE, "timestamp": _AT, "requestId": "r-1"},
    "borrowers.getOfferContracts": {
        "offerSummary": _SUMMARY,
        "amount": 1200.5,
        "startDate": _AT,
    },
    "loans.create": {
        "accountId": "l",
        "borrowerId": "b",
        "productId": "term-6-months",
        "loanAmount": 1200.5,
        "startDate": _AT,
        "contract": {"productId": "term-6-months"},
        "labels": {"branch": "Kisumu"},
    },
    "loans.makeRepayment": {
        "externalId": "MPESA-1",
        "amount": 250.25,
        "transactionDate": _AT,
        "channel": "mobile",
        "network": "M-PESA",
        "currencyCode": "KES",
    },
}
