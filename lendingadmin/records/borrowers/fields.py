"""The fields of a borrower, in one table (spec: Borrower and its parts).

The form, the page of a borrower and the setting of required fields use the table. lending/values.py
reads the values, and web/masking.py decides who may see them.
"""

from typing import Any, Literal, NamedTuple

from django.utils.translation import gettext_lazy as _

Kind = Literal[
    "category",
    "day",
    "list",
    "mail",
    "map",
    "moment",
    "open",
    "phone",
    "status",
    "text",
    "whole",
    "word",
]
# The fields of these sections are in an object within the record. All other fields are in the
# record itself.
_WITHIN = {"individual": "individual", "biometrics": "individual", "company": "company"}


class Field(NamedTuple):
    """Form field for one key of the record, or for one key of an object in the record.

    If `is_suggested` is True, the form offers values of other borrowers. If `is_rare` is True, the
    form has the field only if the record has the key. `item_id` is the key that each item of a list
    needs. `in_company` finds the field in a company's data: it is the first key that contains the
    first word, or else the second word.
    """

    section: str
    name: str
    label: Any
    kind: Kind = "text"
    hint: Any = ""
    is_suggested: bool = False
    is_rare: bool = False
    item_id: str = ""
    in_company: tuple[str, str] = ("", "")

    @property
    def within(self) -> str:
        """The key of the object that contains the field; empty for the record itself."""
        return _WITHIN.get(self.section, "")

    @property
    def form_name(self) -> str:
        """The name of the field in the form, such as `individual-surname`."""
        section = "general" if self.section == "category" else self.section
        return f"{section}-{self.name}"


_LINES = _("Lines such as “key: value”, or JSON for anything else.")
_LIST = _("A list as JSON.")
_STATUS = _("Change this status only if you know the status words of the service.")
FIELDS = (
    Field("category", "category", _("Individual or company"), "category"),
    Field("individual", "surname", _("Surname")),
    Field("individual", "othernames", _("Other names")),
    Field("individual", "phoneNumber", _("Phone number"), "phone"),
    Field("individual", "governmentIdNo", _("Government id")),
    Field("individual", "emailAddress", _("E-mail address"), "mail"),
    Field("individual", "countryOfResidence", _("Country of residence"), is_suggested=True),
    Field("individual", "dateOfBirth", _("Date of birth"), "day"),
    Field("individual", "sex", _("Sex"), "word", is_suggested=True),
    Field("individual", "employmentStatus", _("Employment"), "word", is_suggested=True),
    Field("individual", "maritalStatus", _("Marital status"), "word", is_suggested=True),
    Field("individual", "educationLevel", _("Education"), "word", is_suggested=True),
    Field("individual", "noOfDependants", _("Dependants"), "whole"),
    # The fields of Company are not shown in the spec.
    Field("company", "companyName", _("Company name"), in_company=("name", "name")),
    Field(
        "company", "phoneNumber", _("Phone number"), "phone", in_company=("phone", "phoneNumber")
    ),
    Field(
        "company", "emailAddress", _("E-mail address"), "mail", in_company=("mail", "emailAddress")
    ),
    Field("general", "startDate", _("Borrower since"), "moment", _("In the lender's time.")),
    Field("general", "status", _("Status"), "status", _STATUS),
    Field("open", "company", _("Company, all fields"), "open", _LINES),
    Field("open", "identity", _("Identity"), "open", _LINES),
    Field("open", "demographic", _("Demographic"), "open", _LINES),
    Field("open", "profiles", _("Profiles"), "open", _LINES),
    Field("open", "labels", _("Labels"), "open", _LINES, is_rare=True),
    Field("settings", "settings", _("Settings"), "map", _("Such as “timezone: Africa/Nairobi”.")),
    Field("biometrics", "photos", _("Photos"), "list", _LIST),
    Field("biometrics", "fingerprints", _("Fingerprints"), "list", _LIST),
    Field("json", "devices", _("Devices"), "list", _LIST, item_id="deviceId"),
    Field("json", "loans", _("Loan summaries"), "list", _LIST, item_id="loanId"),
)


def list_fields(*sections: str) -> list[Field]:
    """Return the fields of these sections."""
    return [field for field in FIELDS if field.section in sections]
