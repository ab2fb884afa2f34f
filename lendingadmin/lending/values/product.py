"""Lending products (Spec: Product)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Record, Value
from lendingadmin.lending.values.fields import Many, Number, One, Status, Text, Timestamp


class TermsAdjustment(Value):
    """How a product's rate or amount is adjusted."""

    action: Text
    target: Text
    value_type: Text


class ProductInterest(Value):
    """The interest of a product; rates are fractions, durations `<n> days`."""

    type: Text
    term_period: Text
    base_rate: Number
    max_effective_rate: Number
    risk_premium_rate: Number
    adjustment: One[TermsAdjustment]


class LendingTerms(Value):
    """The terms of a product (Spec: Product, LendingTerms).

    The spec can be read with `adjustment` here or within `interest`; either is understood.
    """

    period: Text
    repayment_interval: Text
    interest: One[ProductInterest]
    adjustment: One[TermsAdjustment]


class Charge(Value):
    """A charge of a product (Spec: Product, Charge)."""

    name: Text
    kind: Text
    action: Text
    target: Text
    value_type: Text
    display_name: Text
    value: Number


class Product(Value):
    """A lending product of the project (Spec: Product); fields of labels are not shown there."""

    id_field: ClassVar[str | None] = "product_id"

    uid: Text
    name: Text
    created_at: Timestamp
    product_id: Text
    product_type: Text
    status: Status
    display_name: Text
    display_priority: Number
    terms: One[LendingTerms]
    description: Text
    sku_id: Text
    labels: One[Record]
    charges: Many[Charge]
