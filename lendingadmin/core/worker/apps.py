"""The worker as a Django app."""

from lendingadmin.core import areas


class WorkerConfig(areas.AreaConfig):
    name = "lendingadmin.core.worker"
    warnings = "duties.find_silence"
    gauges = "duties.BEAT"
