"""Functions that write values as text, and template tags that only call these functions.

The functions are pure. A function for values from the service accepts any value, also None or a
value of a wrong type. Such a function never raises an error.
"""
