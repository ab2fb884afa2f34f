"""`{% schedule_chart contract zone %}`: the schedule of a contract as stacked bars."""

from collections.abc import Iterable
from datetime import tzinfo
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.translation import gettext_noop

from lendingadmin.web.display import charts, formats
from lendingadmin.web.display.times import calendar_day

register = template.Library()


@register.inclusion_tag("_schedule_chart.html", takes_context=True)
def schedule_chart(
    context: Context,
    contract: object,
    zone: object = None,
    currency: str = "",
    steps: Iterable[Any] = (),
) -> dict[str, object]:
    """Draw the instalments of a contract. `steps` shows which are late (lending/loan_math.py)."""
    app = getattr(context.get("navigation"), "app", None)
    place = zone if isinstance(zone, tzinfo) else None
    rows = getattr(contract, "installments", None)
    behind = [step.installment for step in steps if step.progress == "late"]
    late = [at for at, row in enumerate(rows or ()) if any(row is one for one in behind)]
    plot = charts.draw_schedule(
        rows,
        today=calendar_day(timezone.now(), place),
        zone=place,
        currency=currency or getattr(app, "currency", ""),
        locale=formats.locale(),
        late=late,
    )
    # If a page has pictures in several themes, their patterns must have different ids.
    return {"plot": plot, "pattern": f"late{context.get('theme', '')}" if behind else ""}


@register.inclusion_tag("_legend.html")
def schedule_legend(contract: object, steps: Iterable[Any] = ()) -> dict[str, object]:
    """Name the colours of a contract's chart, only for the parts that its instalments have."""
    kinds = charts.kinds_of(getattr(contract, "installments", None))
    late = any(step.progress == "late" for step in steps)
    return {"kinds": (*kinds, gettext_noop("late")) if kinds and late else kinds}


@register.simple_tag
def reported_parts(contract: object) -> tuple[str, ...]:
    """Return the parts of the instalments that get a column.

    A part that is always zero or missing gets no column.
    """
    return charts.list_reported_parts(getattr(contract, "installments", None))


@register.inclusion_tag("_contracts_chart.html")
def contracts_chart(columns: Iterable[Any], zone: object, currency: str) -> dict[str, object]:
    """Draw the schedules of several contracts below one another, on the same two scales."""
    drawn = charts.draw_schedules(
        [(column.name, column.contract.installments) for column in columns],
        zone=zone if isinstance(zone, tzinfo) else None,
        currency=currency,
        locale=formats.locale(),
    )
    there = {kind for _, plot in drawn for kind in plot.kinds}
    return {
        "pictures": drawn,
        "kinds": [kind for kind in charts.KINDS if kind in there],
    }
