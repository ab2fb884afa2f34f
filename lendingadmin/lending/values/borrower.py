"""Borrowers and what is kept with them (Spec: Borrower)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Record, Value
from lendingadmin.lending.values.fields import (
    Day,
    Flag,
    Many,
    Number,
    One,
    Status,
    Text,
    Texts,
    Timestamp,
)


class Individual(Value):
    """The person behind a borrower (Spec: Borrower, Individual fields). Personal throughout."""

    surname: Text
    othernames: Text
    date_of_birth: Day
    sex: Text
    government_id_no: Text
    country_of_residence: Text
    email_address: Text
    phone_number: Text
    employment_status: Text
    marital_status: Text
    education_level: Text
    no_of_dependants: Number
    fingerprints: Texts
    photos: Texts


class Device(Value):
    """A device of the borrower (Spec: Borrower, Device fields)."""

    id_field: ClassVar[str | None] = "device_id"

    device_id: Text
    device_type: Text
    model_number: Text
    os_name: Text
    os_version: Text
    created_at: Timestamp
    active: Flag
    serial_number: Text
    equipment_id: Text
    other_equipment_id: Text


class LoanSummary(Value):
    """A loan as told with its borrower (Spec: Borrower, LoanSummary fields). Amounts are money."""

    id_field: ClassVar[str | None] = "loan_id"

    loan_id: Text
    principal_amount: Number
    payable_amount: Number
    paid_amount: Number
    start_date: Timestamp
    end_date: Timestamp
    next_payment_date: Timestamp
    completion_date: Timestamp
    assessment_id: Text


class Borrower(Value):
    """A borrower of an app (Spec: Borrower). The fields of Record types are not shown there."""

    id_field: ClassVar[str | None] = "borrower_id"

    uid: Text
    name: Text
    created_at: Timestamp
    borrower_id: Text
    category: Text
    start_date: Timestamp
    status: Status
    borrower_no: Number
    individual: One[Individual]
    company: One[Record]
    identity: One[Record]
    demographic: One[Record]
    profiles: One[Record]
    devices: Many[Device]
    loans: Many[LoanSummary]
    settings: One[Record]
