"""Rows of the home page: changes to settings that wait for a second manager."""

from django.utils.translation import gettext_lazy, ngettext_lazy

from lendingadmin.core.policies.deciding import list_waiting
from lendingadmin.core.policies.kinds import find_kind
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.web.decisions import Task, ToDecide

TO_APPROVE = ngettext_lazy(
    "%(count)s change to a setting to approve",
    "%(count)s changes to settings to approve",
    "number",
)


def _describe(version: PolicyVersion) -> Task:
    kind = find_kind(version.kind)
    title = str(kind.title) if kind else version.kind
    return Task(version.get_absolute_url(), title, version.changed_at, by=version.author)


DECISION = ToDecide(
    "policies",
    "policies",
    TO_APPROVE,
    list_waiting,
    describe=_describe,
    oldest_first=("changed_at", "pk"),
    button=gettext_lazy("Review"),
)
