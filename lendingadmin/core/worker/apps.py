"""Django app for the worker."""

from lendingadmin.core import areas


class WorkerConfig(areas.AreaConfig):
    name = "lendingadmin.core.worker"
    warnings = "duties.find_silence"
    gauges = "duties.BEAT"
