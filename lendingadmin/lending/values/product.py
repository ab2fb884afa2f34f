"""Lending products (Spec: Product)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Record, Value
from lendingadmin.lending.values.fields import Many, Number, One, Status, Text, Timestamp


class TermsAdjustment(Value):
    """How a product's rate or amount is adjusted."""

    action: Text = None
    target: Text = None
    value_type: Text = None


class ProductInterest(Value):
    """The interest of a product; rates are fractions, durations `<n> days`."""

    type: Text = None
    term_period: Text = None
    base_rate: Number = None
    max_effective_rate: Number = None
    risk_premium_rate: Number = None
    adjustment: One[TermsAdjustment] = None


class LendingTerms(Value):
    """The terms of a product (Spec: Product, LendingTerms).

    The spec can be read with `adjustment` here or within `interest`; either is understood.
    """

    period: Text = None
    repayment_interval: Text = None
    interest: One[ProductInterest] = None
    adjustment: One[TermsAdjustment] = None


class Charge(Value):
    """A charge of a product (Spec: Product, Charge)."""

    name: Text = None
    kind: Text = None
    action: Text = None
    target: Text = None
    value_type: Text = None
    display_name: Text = None
    value: Number = None


class Product(Value):
    """A lending product of the project (Spec: Product); fields of labels are not shown there."""

    id_field: ClassVar[str | None] = "product_id"

    uid: Text = None
    name: Text = None
    created_at: Timestamp = None
    product_id: Text = None
    product_type: Text = None
    status: Status = None
    display_name: Text = None
    display_priority: Number = None
    terms: One[LendingTerms] = None
    description: Text = None
    sku_id: Text = None
    labels: One[Record] = None
    charges: Many[Charge] = None
