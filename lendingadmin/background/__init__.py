"""Background work: the worker process, and the beat that finds out what is due.

Knows no area. An area lends its duty and its tasks when Django is ready: `duties.lend(…)`.
"""
