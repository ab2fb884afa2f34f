"""The demo: sandbox, dashboard and people on one machine, started by `manage.py demo`.

The demo never uses a real service, because people are made only if the service is on loopback.
"""
