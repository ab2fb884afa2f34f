"""The keys of a borrower as fields of its form (spec: Borrower and what it holds)."""

from typing import NamedTuple

from django.utils.translation import gettext_noop as _

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


_LINES = _("Lines such as “key: value”, or JSON for anything else.")
WHO = (Key("category", _("Individual or company"), CATEGORY),)
GENERAL = (
    Key("startDate", _("Borrower since"), MOMENT, _("In the lender's time.")),
    Key(
        "status", _("Status"), STATUS, _("Leave it as it is unless the service's words are known.")
    ),
)
INDIVIDUAL = (
    Key("surname", _("Surname")),
    Key("othernames", _("Other names")),
    Key("phoneNumber", _("Phone number"), PHONE),
    Key("governmentIdNo", _("Government id")),
    Key("emailAddress", _("E-mail address"), MAIL),
    Key("countryOfResidence", _("Country of residence"), is_suggested=True),
    Key("dateOfBirth", _("Date of birth"), DAY),
    Key("sex", _("Sex"), is_suggested=True),
    Key("employmentStatus", _("Employment"), is_suggested=True),
    Key("maritalStatus", _("Marital status"), is_suggested=True),
    Key("educationLevel", _("Education"), is_suggested=True),
    Key("noOfDependants", _("Dependants"), WHOLE),
)
COMPANY = (
    Key("companyName", _("Company name")),
    Key("phoneNumber", _("Phone number"), PHONE),
    Key("emailAddress", _("E-mail address"), MAIL),
)
# The fields of Company are not shown (spec). Each of the above stands under the first key of the
# company that holds this word, else under this key.
OF_COMPANY = {
    "companyName": ("name", "name"),
    "phoneNumber": ("phone", "phoneNumber"),
    "emailAddress": ("mail", "emailAddress"),
}
BIOMETRICS = (
    Key("photos", _("Photos"), LIST, _("A list as JSON.")),
    Key("fingerprints", _("Fingerprints"), LIST, _("A list as JSON.")),
)
SETTINGS = (Key("settings", _("Settings"), MAP, _("Such as “timezone: Africa/Nairobi”.")),)
OPEN_ENDED = (
    Key("company", _("Company, all fields"), OPEN, _LINES),
    Key("identity", _("Identity"), OPEN, _LINES),
    Key("demographic", _("Demographic"), OPEN, _LINES),
    Key("profiles", _("Profiles"), OPEN, _LINES),
)
LABELS = Key("labels", _("Labels"), OPEN, _LINES)
DEVICE = (
    Key("deviceId", _("Device id")),
    Key("deviceType", _("Type")),
    Key("modelNumber", _("Model")),
    Key("osName", _("System")),
    Key("osVersion", _("System version")),
    Key("active", _("Active"), FLAG),
    Key("createdAt", _("Since"), MOMENT),
    Key("serialNumber", _("Serial number")),
    Key("equipmentId", _("Equipment id")),
    Key("otherEquipmentId", _("Other equipment id")),
)
LOAN = (
    Key("loanId", _("Loan id")),
    Key("principalAmount", _("Principal"), NUMBER),
    Key("payableAmount", _("Payable"), NUMBER),
    Key("paidAmount", _("Paid"), NUMBER),
    Key("startDate", _("Started"), MOMENT),
    Key("endDate", _("Ends"), MOMENT),
    Key("nextPaymentDate", _("Next payment"), MOMENT),
    Key("completionDate", _("Completed"), MOMENT),
    Key("assessmentId", _("Assessment id")),
)
