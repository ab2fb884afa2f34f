"""`manage.py lending_check`: check the service account and show its rights."""

from typing import Any

from django.conf import settings
from django.core.checks import Tags, run_checks
from django.core.management.base import BaseCommand

from lendingadmin.core.gateway.checkup import Checkup
from lendingadmin.core.gateway.clients import trial_client

#: Tag of the checks of past answers of the service. They read the database.
ANSWERS = "answers"
# Ids of the checks that find public keys, such as keys of an example.
_REFUSED_BY_RELEASE = ("lendingadmin.E002", "lendingadmin.E003")
ALL_IS_WELL = "All is well."


class Command(BaseCommand):
    """Print a table of results. Only one item of each list is read, and nothing is written."""

    help = (
        "Check the service account: its token, each read in every app of LENDING_APPS, and the "
        "writes that the token's scope allows. No write is sent. The exit status is 1 if the "
        "token or a read fails, or if the scope does not allow a write."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the results as they arrive; exit with 1 if one of them is bad."""
        self.stdout.write(
            f"{settings.LENDING_BASE_URL}, project {settings.LENDING_PROJECT_ID},"
            f" account {settings.LENDING_CLIENT_ID}"
        )
        for error in run_checks(tags=[Tags.security], include_deployment_checks=True):
            if error.id in _REFUSED_BY_RELEASE:
                self.stderr.write(f"{error.msg} release does not run until this is corrected.")
        self._line("app", "operation", "result", "detail")
        app_ids = [app.app_id for app in settings.LENDING_APPS]
        bad = 0
        for finding in Checkup(trial_client(), app_ids).run():
            style = self.style.ERROR if finding.is_bad else str
            detail = _clean(finding.detail)
            self._line(finding.where, finding.subject, finding.result, detail, style)
            bad += finding.is_bad
        for note in run_checks(tags=[ANSWERS], databases=["default"]):
            self.stdout.write(note.msg)
        if bad:
            self.stdout.write(f"{bad} of these {'needs' if bad == 1 else 'need'} attention.")
            raise SystemExit(1)
        self.stdout.write(ALL_IS_WELL)

    def _line(self, where: str, subject: str, result: str, detail: str, style: Any = str) -> None:
        self.stdout.write(style(f"{where:<12}  {subject:<27}  {result:<9}  {detail}"))


def _clean(detail: str) -> str:
    """Return the detail as one line for a terminal, without the secret."""
    printable = "".join(letter if letter.isprintable() else " " for letter in detail)
    return printable.replace(settings.LENDING_CLIENT_SECRET, "…")
