"""Objects as the spec draws them, for tests to read, break and send."""

from decimal import Decimal

DAY = "2024-05-01T00:00:00.000Z"
DUE = "2024-05-31T23:59:59.999Z"

CONTRACT = {
    "productId": "quick-30",
    "versionNo": 3,
    "startDate": DAY,
    "maturityDate": DUE,
    "terms": {
        "period": "30 days",
        "fees": [
            {
                "kind": "late_payment_fee",
                "value": Decimal("0.0500"),
                "required": True,
                "description": "For lateness",
                "displayName": "Late fee",
                "calculationMethod": "principal_amount_ratio",
                "installmentTarget": "in_progress",
                "calculateInAdvance": False,
            }
        ],
        "penalty": {
            "rate": Decimal("0.10"),
            "gracePeriod": "3 days",
            "calculationMethod": "overdue_principal",
        },
        "interest": {
            "maxAER": Decimal("1.5000"),
            "maxAPR": Decimal("0.900000000000000000000000000001"),
            "baseRate": Decimal("0.1"),
            "waiverRate": 0,
            "riskPremiumRate": Decimal("0.02"),
            "calculationMethod": "reducing_balance",
            "compoundingPeriod": "1 days",
        },
    },
    "amounts": {
        "requested": 1000,
        "disbursement": Decimal("950.00"),
        "principal": 1000,
        "interest": Decimal("12.34"),
        "repayment": Decimal("1012.34"),
        "fees": 50,
        "penalty": 0,
    },
    "interestRates": {
        "nominalRate": Decimal("0.12"),
        "periodicRate": Decimal("0.01"),
        "APR": Decimal("0.12"),
        "AER": Decimal("0.1268"),
        "APY": Decimal("0.12680"),
    },
    "adjustments": [
        {
            "kind": "deducted_disbursement_fee",
            "displayName": "Fee",
            "description": "",
            "target": "disbursement",
            "action": "deduct",
            "valueType": "absolute",
            "source": "principal",
            "value": 50,
        }
    ],
    "tranches": [{"sequenceNo": 1, "startDate": DAY, "dueDate": DUE, "amount": Decimal("950.00")}],
    "installments": [
        {
            "sequenceNo": 1,
            "startDate": DAY,
            "dueDate": DUE,
            "amounts": {
                "repayment": Decimal("1012.34"),
                "principal": 1000,
                "interest": Decimal("12.34"),
                "fees": 0,
                "penalty": 0,
            },
        }
    ],
    "aKeyNobodyNamed": {"deep": [1, None, Decimal("2.50")]},
}

BALANCE = {"due": 10, "paid": Decimal("2.50"), "total": 20, "unpaid": 5, "overdue": 0}

LOAN = {
    "uid": "5b3e3f5e-8f8e-4a55-9f7b-0d3b8a0c1c11",
    "name": "projects/demo/apps/kenya/loans/L-1",
    "status": 2,
    "createdAt": DAY,
    "accountId": "L-1",
    "accountNo": 4711,
    "loanType": "cash",
    "borrowerId": "b-1",
    "lenderId": None,
    "category": "individual",
    "sequenceNo": 1,
    "productId": "quick-30",
    "contract": CONTRACT,
    "loanAmount": Decimal("1000.00"),
    "balances": dict.fromkeys(("fees", "penalty", "interest", "principal", "repayment"), BALANCE),
    "startDate": DAY,
    "maturityDate": DUE,
    "schedule": {"daysLate": 0, "nextInstallment": {"sequenceNo": 1, "dueDate": DUE}},
    "settlementDate": None,
    "performanceStatus": 1,
    "result": {"type": "paid", "reason": None, "message": None},
    "assessmentId": None,
    "appVersionId": "v12",
    "requestId": "r-1",
    "settings": {"anything": "goes"},
    "labels": {"branch": "north"},
}

DEVICE = {
    "deviceId": "d-1",
    "deviceType": "phone",
    "modelNumber": "X1",
    "osName": "android",
    "osVersion": "14",
    "createdAt": DAY,
    "active": True,
    "serialNumber": None,
    "equipmentId": None,
    "otherEquipmentId": None,
}

BORROWER = {
    "uid": "0f8d0a2e-3a55-4c92-8e0a-111111111111",
    "name": "projects/demo/apps/kenya/borrowers/b-1",
    "status": 1,
    "createdAt": DAY,
    "borrowerId": "b-1",
    "category": "individual",
    "startDate": DAY,
    "borrowerNo": 12,
    "individual": {
        "surname": "WANJIRU",
        "othernames": "GRACE",
        "dateOfBirth": "1990-02-28",
        "sex": "female",
        "governmentIdNo": "12345678",
        "countryOfResidence": "KE",
        "emailAddress": "grace@example.org",
        "phoneNumber": "+254700000000",
        "employmentStatus": "employed",
        "maritalStatus": "single",
        "educationLevel": "degree",
        "noOfDependants": 2,
        "fingerprints": [],
        "photos": [],
    },
    "company": None,
    "devices": [DEVICE],
    "loans": [
        {
            "loanId": "old-1",
            "principalAmount": 100,
            "payableAmount": Decimal("110.5"),
            "paidAmount": Decimal("110.5"),
            "startDate": DAY,
            "endDate": DUE,
            "nextPaymentDate": None,
            "completionDate": DUE,
            "assessmentId": None,
        }
    ],
    "settings": {"timezone": "Africa/Nairobi"},
    "profiles": None,
}

ASSESSMENT = {
    "uid": "1a8d0a2e-3a55-4c92-8e0a-222222222222",
    "name": "projects/demo/apps/kenya/assessments/a-1",
    "status": 1,
    "createdAt": DAY,
    "accountId": "borrower:b-1",
    "assessmentId": "a-1",
    "assessmentType": "assessmentTypes/credit-score",
    "timestamp": DAY,
    "result": {
        "type": "authorized",
        "reason": None,
        "message": None,
        "riskLevel": "low",
        "riskScore": Decimal("0.25"),
        "creditScore": 640,
        "creditRating": "B",
    },
    "appVersionId": "v12",
    "requestId": None,
}

ASSESSMENT_TYPE = {
    "uid": "2a8d0a2e-3a55-4c92-8e0a-333333333333",
    "name": "assessmentTypes/credit-score",
    "status": 1,
    "createdAt": DAY,
    "assessmentTypeId": "credit-score",
    "category": "credit",
    "period": "90 days",
    "displayName": "Credit score",
    "description": None,
    "settings": {
        "apps": {"channels": ["mobile"], "platforms": ["android"]},
        "accounts": {"categories": ["individual"], "accountTypes": ["borrower"]},
    },
}

PRODUCT = {
    "uid": "3a8d0a2e-3a55-4c92-8e0a-444444444444",
    "name": "projects/demo/products/quick-30",
    "status": 1,
    "createdAt": DAY,
    "productId": "quick-30",
    "productType": "cash",
    "displayName": "Quick 30",
    "displayPriority": 1,
    "terms": {
        "period": "30 days",
        "repaymentInterval": "30 days",
        "interest": {
            "type": "reducing",
            "termPeriod": "30 days",
            "baseRate": Decimal("0.10"),
            "maxEffectiveRate": Decimal("0.30"),
            "riskPremiumRate": Decimal("0.05"),
            "adjustment": {"action": "deduct", "target": "disbursement", "valueType": "absolute"},
        },
    },
    "description": None,
    "skuId": None,
    "labels": None,
    "charges": [
        {
            "name": "c",
            "kind": "fee",
            "action": "deduct",
            "target": "disbursement",
            "valueType": "absolute",
            "displayName": "Fee",
            "value": 50,
        }
    ],
}

SMS = {"address": "MPESA", "read": 1, "rawBody": "You have received 500"}

EVENT = {
    "uid": "4a8d0a2e-3a55-4c92-8e0a-555555555555",
    "name": "projects/demo/apps/kenya/events/e-1",
    "status": 0,
    "createdAt": DAY,
    "accountId": "borrower:b-1",
    "eventId": "e-1",
    "eventType": "personal_data.captured",
    "timestamp": DAY,
    "data": [{"kind": "lending.example/sms", "values": [SMS]}],
    "appVersionId": "v12",
    "category": "sms",
    "result": None,
}

OFFER = {
    "name": "operations/op-1",
    "operationId": "op-1",
    "done": True,
    "metadata": {
        "status": "completed",
        "startTime": DAY,
        "endTime": DAY,
        "expiryTime": DUE,
        "projectId": "demo",
        "appId": "kenya",
        "accountId": "borrower:b-1",
        "requestId": "r-1",
        "assessmentId": "a-1",
    },
    "result": {
        "error": None,
        "response": {
            "creditLimit": Decimal("5000.00"),
            "products": [
                {
                    "productId": "quick-30",
                    "terms": {"interest": {"riskPremiumRate": Decimal("0.050")}},
                    "extra": 1,
                }
            ],
            "interestRateWaiver": 0,
            "validFrom": DAY,
        },
    },
}
