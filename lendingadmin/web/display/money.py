"""Money as text, with the decimals of its currency."""

from babel.numbers import get_currency_precision

from lendingadmin.web.display.numbers import as_it_came, decimals_of, grouped, number

from .locales import DEFAULT_LOCALE, write_compact


def money(amount: object, currency: object, locale: str = DEFAULT_LOCALE) -> str:
    """Write an amount with its ISO 4217 code, `KES 4,412.75`; a missing amount is `—`."""
    if number(amount) is None:
        return as_it_came(amount)
    code = currency if isinstance(currency, str) else ""
    return f"{code} {figure(amount, currency, locale)}".strip()


def figure(amount: object, currency: object, locale: str = DEFAULT_LOCALE) -> str:
    """Write an amount without its code, for a column whose head names the currency.

    Show at least the currency's decimals, and all decimals of the amount. Staff may have to explain
    each digit to a customer.
    """
    value = number(amount)
    if value is None:
        return as_it_came(amount)
    return grouped(value, max(currency_decimals(currency), decimals_of(value)), locale)


def compact(amount: object, locale: str = DEFAULT_LOCALE) -> str:
    """Write a rounded amount for the axis of a chart: `4K`, `1.5M`.

    The exact amount is shown on hover. K and M are the same in all languages; only the decimal sign
    depends on the locale.
    """
    value = number(amount)
    return as_it_came(amount) if value is None else write_compact(value, locale)


def currency_decimals(currency: object) -> int:
    """Return the number of decimals of the currency; two for an unknown code."""
    return get_currency_precision(currency) if isinstance(currency, str) else 2
