"""`{% schedule_chart contract zone %}`: the schedule of a contract as stacked bars."""

from collections.abc import Iterable
from datetime import tzinfo
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone

from lendingadmin.display import formats
from lendingadmin.display.charts import kinds_of, schedule_bars
from lendingadmin.display.overlay import overlay
from lendingadmin.display.times import calendar_day

register = template.Library()


@register.inclusion_tag("_schedule_chart.html", takes_context=True)
def schedule_chart(
    context: Context,
    contract: object,
    zone: object = None,
    currency: str = "",
    steps: Iterable[Any] = (),
) -> dict[str, object]:
    """Draw a contract's instalments, once for a wide screen and once for a phone.

    `steps` tells which of them are late (lending/loan_math.py).
    """
    app = getattr(context.get("frame"), "app", None)
    place = zone if isinstance(zone, tzinfo) else None
    settled = {
        "today": calendar_day(timezone.now(), place),
        "zone": place,
        "currency": currency or getattr(app, "currency", ""),
        "locale": formats.locale(),
    }
    rows = getattr(contract, "installments", None)
    behind = [step.installment for step in steps if step.progress == "late"]
    if behind:
        settled["late"] = [
            at for at, row in enumerate(rows or ()) if any(row is one for one in behind)
        ]
    wide = schedule_bars(rows, width=700, height=168, **settled)  # type: ignore[arg-type]
    narrow = schedule_bars(rows, width=380, height=180, **settled)  # type: ignore[arg-type]
    drawn = [("wide", wide), ("narrow", narrow)] if wide and narrow else []
    # Several pictures on a page that differ by theme must not share a pattern's id.
    return {"charts": drawn, "late": bool(behind), "theme": context.get("theme", "")}


@register.inclusion_tag("_legend.html")
def schedule_legend(contract: object, steps: Iterable[Any] = ()) -> dict[str, object]:
    """Name the colours of a contract's chart: only those parts that its instalments have."""
    kinds = kinds_of(getattr(contract, "installments", None))
    late = any(step.progress == "late" for step in steps)
    return {"kinds": (*kinds, "late") if kinds and late else kinds}


@register.inclusion_tag("_contracts_chart.html")
def contracts_chart(columns: Iterable[Any], zone: object, currency: str) -> dict[str, object]:
    """Draw the schedules of several contracts over one another, on the same two scales."""
    place = zone if isinstance(zone, tzinfo) else None
    schedules = [(column.name, column.contract.installments) for column in columns]
    settled = {"zone": place, "currency": currency, "locale": formats.locale()}
    wide = overlay(schedules, width=700, **settled)  # type: ignore[arg-type]
    narrow = overlay(schedules, width=380, **settled)  # type: ignore[arg-type]
    drawn = [("wide", wide), ("narrow", narrow)] if wide and narrow else []
    return {"charts": drawn, "kinds": wide.kinds if wide else ()}
