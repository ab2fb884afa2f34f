"""The only seam between the dashboard and the Lending Service: settings in, client out."""

from lendingadmin.gateway.clients import app, client, lending_app
from lendingadmin.gateway.observing import calls

__all__ = ["app", "calls", "client", "lending_app"]
