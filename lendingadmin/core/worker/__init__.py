"""Background work: the worker process, and the beat that finds due work.

This package knows no area. An area names its duty and its tasks in its manifest
(core/areas.py).
"""
