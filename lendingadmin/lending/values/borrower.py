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

    surname: Text = None
    othernames: Text = None
    date_of_birth: Day = None
    sex: Text = None
    government_id_no: Text = None
    country_of_residence: Text = None
    email_address: Text = None
    phone_number: Text = None
    employment_status: Text = None
    marital_status: Text = None
    education_level: Text = None
    no_of_dependants: Number = None
    fingerprints: Texts = None
    photos: Texts = None


class Device(Value):
    """A device of the borrower (Spec: Borrower, Device fields)."""

    id_field: ClassVar[str | None] = "device_id"

    device_id: Text = None
    device_type: Text = None
    model_number: Text = None
    os_name: Text = None
    os_version: Text = None
    created_at: Timestamp = None
    active: Flag = None
    serial_number: Text = None
    equipment_id: Text = None
    other_equipment_id: Text = None


class LoanSummary(Value):
    """A loan as told with its borrower (Spec: Borrower, LoanSummary fields). Amounts are money."""

    id_field: ClassVar[str | None] = "loan_id"

    loan_id: Text = None
    principal_amount: Number = None
    payable_amount: Number = None
    paid_amount: Number = None
    start_date: Timestamp = None
    end_date: Timestamp = None
    next_payment_date: Timestamp = None
    completion_date: Timestamp = None
    assessment_id: Text = None


class Borrower(Value):
    """A borrower of an app (Spec: Borrower). The fields of Record types are not shown there."""

    id_field: ClassVar[str | None] = "borrower_id"

    uid: Text = None
    name: Text = None
    created_at: Timestamp = None
    borrower_id: Text = None
    category: Text = None
    start_date: Timestamp = None
    status: Status = None
    borrower_no: Number = None
    individual: One[Individual] = None
    company: One[Record] = None
    identity: One[Record] = None
    demographic: One[Record] = None
    profiles: One[Record] = None
    devices: Many[Device] = None
    loans: Many[LoanSummary] = None
    settings: One[Record] = None
