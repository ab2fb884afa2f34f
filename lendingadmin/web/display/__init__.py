"""Functions that write values as text, and template tags that only call these functions.

Every function is pure, takes any value that the service may send (also none, or one of a wrong
type), returns text, and never raises an error.
"""
