"""Writes values as text: pure functions, and template tags that only call them.

Every function takes any value that the service may send (a value, nothing, or one of the wrong
type), returns text, and never raises.
"""
