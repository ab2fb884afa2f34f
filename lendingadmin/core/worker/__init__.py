"""Background work: the worker process, and the beat that finds due work.

This package imports no area. An area names its duties and tasks in its manifest (core/areas.py).
"""
