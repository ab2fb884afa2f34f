"""The only seam between the dashboard and the Lending Service: settings in, client out."""

from lendingadmin.gateway.clients import app, client
from lendingadmin.gateway.lending_apps import LendingApp, lending_app
from lendingadmin.gateway.observing import calls

__all__ = ["LendingApp", "app", "calls", "client", "lending_app"]
