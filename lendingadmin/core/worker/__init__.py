"""Background work: the worker process, and the beat that finds out what is due.

Knows no area. An area names its duty and its tasks in its manifest (core/areas.py).
"""
