"""The columns of products and of assessment types."""

from django.utils.safestring import SafeString

from lendingadmin.display.assessments import limits, type_warning
from lendingadmin.display.statuses import assessment_type
from lendingadmin.display.templatetags.rates import duration, rate_each
from lendingadmin.display.templatetags.statuses import chip, product_status
from lendingadmin.display.text import shown, spelled
from lendingadmin.lending.values import AssessmentType, Malformed, Product, text
from lendingadmin.ui.converters import addresses
from lendingadmin.ui.tables import Column, breakable, make_getter, row_link, to_html, two_lines

_period = make_getter("terms.period")
_interval = make_getter("terms.repayment_interval")
_base_rate = make_getter("terms.interest.base_rate")
_term = make_getter("terms.interest.term_period")
_premium = make_getter("terms.interest.risk_premium_rate")


def products() -> tuple[Column, ...]:
    """The columns of products; rates are fractions on the wire and per cent here."""
    product_at = addresses("product")

    def name(product: Product) -> str:
        key = text(product.product_id) or text(product.uid)
        words = shown(product.display_name or product.product_id)
        return two_lines(
            row_link(product_at(key), words) if key else words, text(product.product_id)
        )

    return (
        Column("Product", name),
        Column("Type", lambda product: spelled(product.product_type)),
        Column("Status", lambda product: chip(product_status(product.status))),
        Column("Runs for", lambda product: duration(_period(product))),
        Column("Instalment every", lambda product: duration(_interval(product))),
        Column(
            "Base rate", lambda product: rate_each(_base_rate(product), _term(product)), number=True
        ),
        Column(
            "Risk premium",
            lambda product: rate_each(_premium(product), _term(product)),
            number=True,
        ),
        Column("Charges", _charges, number=True),
    )


def _charges(product: Product) -> str:
    charges = product.charges
    return shown(charges) if isinstance(charges, Malformed) else str(len(charges or ()))


def assessment_types() -> tuple[Column, ...]:
    """The columns of assessment types, with what each is limited to in words."""
    type_at = addresses("assessment-type")

    def name(kind: AssessmentType) -> str:
        key = text(kind.assessment_type_id) or text(kind.uid)
        words = shown(kind.display_name or kind.assessment_type_id)
        head = two_lines(
            row_link(type_at(key), words) if key else words, text(kind.assessment_type_id)
        )
        return two_lines(head, kind.description and shown(kind.description))

    return (
        Column("Type", name),
        Column("Status", _availability),
        Column("Category", lambda kind: spelled(kind.category)),
        Column("Looks back", lambda kind: duration(kind.period)),
        Column("Apps", lambda kind: _lines(limits(kind.settings)[:2])),
        Column("Accounts", lambda kind: _lines(limits(kind.settings)[2:])),
    )


def _availability(kind: AssessmentType) -> str:
    return two_lines(chip(assessment_type(kind.status)), type_warning(kind.status))


def _lines(limited: list[tuple[str, str]]) -> SafeString:
    return SafeString(
        "<br>".join(f"{to_html(label)}: {breakable(words)}" for label, words in limited)
    )
