"""Manifest of an area: the parts that the layers below use, named in the area's `apps.py`.

An `AreaConfig` names objects in the area's own modules, such as `badges = "services.BADGES"`. The
objects are imported at their first use, so an `apps.py` imports none of them. An `apps.py` imports
this module and not the class, because Django would take an imported class as the config of the app.
"""

from functools import cache
from importlib import import_module
from typing import Any

from django.apps import AppConfig, apps

Names = str | tuple[str, ...]


class AreaConfig(AppConfig):
    """Config of an app, with the manifest.

    Each attribute is one name, `module.NAME`, or a tuple of names. A name refers to one object,
    or to a list or tuple of objects.
    """

    #: `web.navigation.Badge`: numbers next to entries of the sidebar.
    badges: Names = ()
    #: `web.decisions.ToDecide`: rows on the home page that wait for a decision.
    decisions: Names = ()
    #: `web.navigation.Group`: groups of the sidebar that a person chose.
    groups: Names = ()
    #: `web.timeline.Source`: parts of the timeline of a borrower or loan.
    timeline: Names = ()
    #: Dictionaries of `money.writes.reconciliation.OutcomeChecker`, by operation.
    outcomes: Names = ()
    #: `core.staff.erasure.Erasable` and `KeptOn`: data of a borrower that is erased, or that stays.
    erasable: Names = ()
    kept: Names = ()
    #: `core.staff.retention.Table`: tables whose old rows are deleted.
    tables: Names = ()
    #: `core.monitoring.metrics.TableGauge`: figures for monitors.
    gauges: Names = ()
    #: Functions that return a warning for `/readyz`, or nothing. They read only our own database.
    warnings: Names = ()
    #: Functions that the worker calls at each beat. A duty is fast: it only enqueues the tasks that
    #: are due.
    duties: Names = ()
    #: Tasks that the worker enqueues again if they are lost.
    tasks: Names = ()
    #: `people.search.lookups.Finder`: finders of our records by id, and of ids in another case.
    stored: Names = ()
    other_case: Names = ()
    #: `people.search.open_loans.Reader`: open loans of borrowers.
    open_loans: Names = ()
    #: Functions that return the borrowers of loans, by loan id, from our own tables.
    loan_borrowers: Names = ()
    #: Functions that return the evidence that the money of a repayment arrived.
    confirmations: Names = ()
    #: Functions that return the days that statements cover.
    covers: Names = ()
    #: Functions that return the status numbers that the service sent, by table of words.
    statuses: Names = ()
    #: `core.policies.kinds.PolicyKind`: rules that managers change on Settings.
    policies: Names = ()


@cache
def collect(kind: str) -> tuple[Any, ...]:
    """Return the objects that areas name in one attribute, in the order of INSTALLED_APPS."""
    found: list[Any] = []
    for config in apps.get_app_configs():
        names = getattr(config, kind, ()) if isinstance(config, AreaConfig) else ()
        for name in (names,) if isinstance(names, str) else names:
            module, _, attribute = name.rpartition(".")
            thing = getattr(import_module(f"{config.name}.{module}"), attribute)
            # A named tuple is one object, not a tuple of objects.
            found.extend(thing if type(thing) in (list, tuple) else (thing,))
    return tuple(found)
