"""The demo: sandbox, dashboard and people on one machine, started by `manage.py demo`.

Nothing here runs beside a real service: people are made only where the service is on loopback.
"""
