"""The keys of a borrower as fields of its form (spec: Borrower and what it holds)."""

from typing import NamedTuple

from django.utils.translation import gettext_noop as _

from .wirefields import (
    CATEGORY,
    DAY,
    LIST,
    MAIL,
    MAP,
    MOMENT,
    OPEN,
    PHONE,
    STATUS,
    TEXT,
    WHOLE,
    FieldKind,
)


class Key(NamedTuple):
    """One key of a JSON object as a field of a form.

    `is_suggested` is whether the values that the book already uses are offered for it. `item_id` is
    the key that each item of a list needs.
    """

    name: str
    label: str
    kind: FieldKind = TEXT
    hint: str = ""
    is_suggested: bool = False
    item_id: str = ""


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
LISTS = (
    Key("devices", _("Devices"), LIST, _("A list as JSON."), item_id="deviceId"),
    Key("loans", _("Loans from elsewhere"), LIST, _("A list as JSON."), item_id="loanId"),
)
