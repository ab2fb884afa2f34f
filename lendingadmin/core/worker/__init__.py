"""Background work: the worker process, and the beat that finds out what is due.

Knows no area. An area registers its duty and its tasks in `AppConfig.ready()` (duties.py).
"""
