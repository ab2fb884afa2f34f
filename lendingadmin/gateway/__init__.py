"""The only seam between the dashboard and the Lending Service: settings in, client out."""

from lendingadmin.gateway.clients import app, client, lending_app

__all__ = ["app", "client", "lending_app"]
