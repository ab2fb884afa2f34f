"""The keys of a borrower as fields of its form (spec: Borrower and what it holds)."""

from typing import NamedTuple

from .wirefields import (
    CATEGORY,
    DAY,
    FLAG,
    LIST,
    MAIL,
    MAP,
    MOMENT,
    NUMBER,
    OPEN,
    PHONE,
    STATUS,
    TEXT,
    WHOLE,
    FieldKind,
)


class Key(NamedTuple):
    """One key of a JSON object as a field of a form.

    `is_suggested` is whether the values that the book already uses are offered for it.
    """

    name: str
    label: str
    kind: FieldKind = TEXT
    hint: str = ""
    is_suggested: bool = False


_LINES = "Lines such as “key: value”, or JSON for anything else."
WHO = (Key("category", "Individual or company", CATEGORY),)
GENERAL = (
    Key("startDate", "Borrower since", MOMENT, "In the lender's time."),
    Key("status", "Status", STATUS, "Leave it as it is unless the service's words are known."),
)
INDIVIDUAL = (
    Key("surname", "Surname"),
    Key("othernames", "Other names"),
    Key("phoneNumber", "Phone number", PHONE),
    Key("governmentIdNo", "Government id"),
    Key("emailAddress", "E-mail address", MAIL),
    Key("countryOfResidence", "Country of residence", is_suggested=True),
    Key("dateOfBirth", "Date of birth", DAY),
    Key("sex", "Sex", is_suggested=True),
    Key("employmentStatus", "Employment", is_suggested=True),
    Key("maritalStatus", "Marital status", is_suggested=True),
    Key("educationLevel", "Education", is_suggested=True),
    Key("noOfDependants", "Dependants", WHOLE),
)
COMPANY = (
    Key("companyName", "Company name"),
    Key("phoneNumber", "Phone number", PHONE),
    Key("emailAddress", "E-mail address", MAIL),
)
# The fields of Company are not shown (spec). Each of the above stands under the first key of the
# company that holds this word, else under this key.
OF_COMPANY = {
    "companyName": ("name", "name"),
    "phoneNumber": ("phone", "phoneNumber"),
    "emailAddress": ("mail", "emailAddress"),
}
BIOMETRICS = (
    Key("photos", "Photos", LIST, "A list as JSON."),
    Key("fingerprints", "Fingerprints", LIST, "A list as JSON."),
)
SETTINGS = (Key("settings", "Settings", MAP, "Such as “timezone: Africa/Nairobi”."),)
OPEN_ENDED = (
    Key("company", "Company, all fields", OPEN, _LINES),
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
