"""How values are shown: pure functions, with template tags that are thin over them.

Every function takes whatever the service may have sent (a value, nothing, or something of the wrong
type), returns text, and never raises.
"""
