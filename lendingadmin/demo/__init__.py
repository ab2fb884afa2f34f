"""Demo: sandbox, dashboard and people on one machine, started by `manage.py demo`.

The demo never uses a real service: it adds its people only if the service is on loopback.
"""
