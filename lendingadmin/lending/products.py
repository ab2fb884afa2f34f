"""Lending products, which all apps of the project share (Spec: Products)."""

from lendingadmin.lending.lists import PlainList
from lendingadmin.lending.values import Product


class Products(PlainList[Product]):
    """The products of the project. Every method raises LendingError."""

    list_operation = "products.list"
    item = Product
