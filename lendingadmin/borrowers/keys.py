"""The keys of a borrower as fields of its form (spec: Borrower and what it holds)."""

from typing import NamedTuple

from .wirefields import (
    CATEGORY,
    DAY,
    FLAG,
    LIST,
    MAP,
    MOMENT,
    NUMBER,
    OPEN,
    STATUS,
    TEXT,
    WHOLE,
    FieldKind,
)


class Key(NamedTuple):
    """One key of a JSON object as a field of a form."""

    name: str
    label: str
    kind: FieldKind = TEXT
    hint: str = ""


_LINES = "Lines such as “key: value”, or JSON for anything else."
GENERAL = (
    Key("category", "Category", CATEGORY),
    Key("startDate", "Start date", MOMENT, "In the lender's time."),
    Key("status", "Status", STATUS, "Leave it as it is unless the service's words are known."),
)
INDIVIDUAL = (
    Key("surname", "Surname"),
    Key("othernames", "Other names"),
    Key("dateOfBirth", "Date of birth", DAY),
    Key("sex", "Sex"),
    Key("phoneNumber", "Phone number"),
    Key("emailAddress", "E-mail address"),
    Key("governmentIdNo", "Government id"),
    Key("countryOfResidence", "Country of residence"),
    Key("employmentStatus", "Employment status"),
    Key("maritalStatus", "Marital status"),
    Key("educationLevel", "Education level"),
    Key("noOfDependants", "Dependants", WHOLE),
)
BIOMETRICS = (
    Key("photos", "Photos", LIST, "A list as JSON."),
    Key("fingerprints", "Fingerprints", LIST, "A list as JSON."),
)
SETTINGS = (Key("settings", "Settings", MAP, "Such as “timezone: Africa/Nairobi”."),)
OPEN_ENDED = (
    Key("company", "Company", OPEN, _LINES),
    Key("identity", "Identity", OPEN, _LINES),
    Key("demographic", "Demographic", OPEN, _LINES),
    Key("profiles", "Profiles", OPEN, _LINES),
)
LABELS = Key("labels", "Labels", OPEN, _LINES)
DEVICE = (
    Key("deviceId", "Device id"),
    Key("deviceType", "Type"),
    Key("modelNumber", "Model"),
    Key("osName", "System"),
    Key("osVersion", "System version"),
    Key("active", "Active", FLAG),
    Key("createdAt", "Since", MOMENT),
    Key("serialNumber", "Serial number"),
    Key("equipmentId", "Equipment id"),
    Key("otherEquipmentId", "Other equipment id"),
)
LOAN = (
    Key("loanId", "Loan id"),
    Key("principalAmount", "Principal", NUMBER),
    Key("payableAmount", "Payable", NUMBER),
    Key("paidAmount", "Paid", NUMBER),
    Key("startDate", "Started", MOMENT),
    Key("endDate", "Ends", MOMENT),
    Key("nextPaymentDate", "Next payment", MOMENT),
    Key("completionDate", "Completed", MOMENT),
    Key("assessmentId", "Assessment id"),
)
