"""Figures for monitors: requests, calls and the state of our tables, in Prometheus's format.

Each process saves its counters as files in the folder METRICS_DIR, which all processes of a host
share. Figures about tables are read from the database when a monitor asks. No label contains an id.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

# Short commands save no counters, because each of them would leave a file.
if settings.METRICS_TOKEN and (
    Path(sys.argv[0]).name != "manage.py" or sys.argv[1:2] == ["db_worker"]
):
    # prometheus_client reads the variable during its import.
    settings.METRICS_DIR.mkdir(parents=True, exist_ok=True)
    os.environ.update({"PROMETHEUS_MULTIPROC_DIR": str(settings.METRICS_DIR)})

from prometheus_client import (
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

from lendingadmin import __version__
from lendingadmin.core.areas import collect

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

REQUESTS = Counter("lendingadmin_requests", "Answered requests.", ["method", "route", "status"])
OWN_SECONDS = Histogram(
    "lendingadmin_request_own_seconds",
    "Time of a request without waits for the lending service.",
    ["route"],
    buckets=_SECONDS,
)
CALLS = Counter(
    "lendingadmin_calls", "Finished calls to the lending service.", ["operation", "outcome"]
)
CALL_SECONDS = Histogram(
    "lendingadmin_call_seconds",
    "Time of a call to the lending service with all its tries.",
    ["operation"],
    buckets=_SECONDS,
)
TOKENS = Counter("lendingadmin_token_refreshes", "Fetched access tokens.")
EXPORTS = Gauge(
    "lendingadmin_exports_under_way",
    "Exports that this host is sending now.",
    multiprocess_mode="livesum",
)
EXPORT_ROWS = Counter("lendingadmin_export_rows", "Exported rows.")

#: Unusual methods share the name “other”, because clients may send any method.
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE"})
_LIVE = re.compile(r"gauge_live\w*_(\d+)\.db")
Readings = Iterable[tuple[tuple[str, ...], float]]


class TableGauge(NamedTuple):
    """A figure from our own tables, for monitors: one value for each tuple of labels.

    `read` uses an index. A time is in Unix seconds.
    """

    name: str
    words: str
    labels: tuple[str, ...]
    read: Callable[[], Readings]


class _Tables(Collector):
    """Collector of our version and of the areas' gauges, which are read when a monitor asks."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        version = GaugeMetricFamily("lendingadmin_version", "Its version.", labels=["version"])
        version.add_metric([__version__], 1)
        yield version
        for gauge in collect("gauges"):
            family = GaugeMetricFamily(
                f"lendingadmin_{gauge.name}", gauge.words, labels=gauge.labels
            )
            for values, value in gauge.read():
                family.add_metric(values, value)
            yield family


def render() -> bytes:
    """Return all figures in Prometheus's text format. May raise DatabaseError."""
    tables = CollectorRegistry()
    tables.register(_Tables())
    return generate_latest(tables) + generate_latest(make_shared())


def make_shared() -> CollectorRegistry:
    """Return the registry with the counters of all processes of this host.

    If processes share no files, return the registry of this process.
    """
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    _forget_dead()
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


def _forget_dead() -> None:
    """Remove the counts of work in progress of processes that have ended."""
    for file in Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).glob("gauge_live*.db"):
        found = _LIVE.fullmatch(file.name)
        if found and not _is_alive(int(found[1])):
            multiprocess.mark_process_dead(int(found[1]))  # type: ignore[no-untyped-call]


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the process of another user
        return True
    return True
