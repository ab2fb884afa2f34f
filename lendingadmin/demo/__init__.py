"""The demo: sandbox, dashboard and people on one machine, started by `manage.py demo`.

The demo never uses a real service: people are made only where the service is on loopback.
"""
