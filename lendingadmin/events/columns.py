"""The columns of events, for their list and wherever else events are listed."""

from lendingadmin.display.statuses import processing
from lendingadmin.display.templatetags.statuses import chip
from lendingadmin.display.templatetags.times import moment
from lendingadmin.display.text import shown
from lendingadmin.gateway import LendingApp
from lendingadmin.lending.ids import resource_id
from lendingadmin.lending.values import Event
from lendingadmin.ui.converters import addresses
from lendingadmin.ui.tables import Column, id_link, row_link, to_html, two_lines

from .kinds import contents
from .search import build_event_url

ACCOUNT = "Account"


def columns(app: LendingApp) -> tuple[Column, ...]:
    """The columns of events of one app."""
    borrower_at = addresses("borrower", app.app_id)

    def captured(event: Event) -> str:
        when, here = moment(event.timestamp, app.zone), build_event_url(app.app_id, event)
        return two_lines(row_link(here, to_html(when)) if here else when, event.event_type)

    def account(event: Event) -> str:
        key = resource_id(event.account_id)
        return id_link(borrower_at(key), key) if key else shown(event.account_id)

    return (
        Column("Captured", captured),
        Column(ACCOUNT, account),
        Column("Holds", lambda event: contents(event) or "no data"),
        Column("Category", lambda event: shown(event.category)),
        Column("Status", lambda event: chip(processing(event.status))),
        Column("App version", lambda event: shown(event.app_version_id)),
        Column("Received", lambda event: moment(event.created_at, app.zone)),
    )
