"""The only seam between the dashboard and the Lending Service: settings in, client out."""

from lendingadmin.gateway.clients import app, calls, client
from lendingadmin.gateway.lending_apps import LendingApp, lending_app

__all__ = ["LendingApp", "app", "calls", "client", "lending_app"]
