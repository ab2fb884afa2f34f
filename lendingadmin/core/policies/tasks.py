"""Mail about a change to a rule that waits for a second manager."""

from django.utils.translation import gettext as _
from django_tasks import task

from lendingadmin.core.staff.tasks import build_address, mail_each
from lendingadmin.core.worker import duties

from .deciding import list_deciders
from .kinds import find_kind
from .models import PolicyVersion


@task()
def tell_managers(version_id: int) -> None:
    """Mail the managers who may approve a change to a rule.

    Another manager requested the change.
    """
    with duties.hide_error_words("mail about a setting to approve"):
        version = PolicyVersion.objects.select_related("changed_by").get(pk=version_id)
        kind = find_kind(version.kind)
        if kind is None or version.changed_by is None:
            return
        text = _(
            "%(manager)s wants to change the setting “%(title)s”. A second manager must approve "
            "the change: %(address)s"
        )
        page = version.get_absolute_url()
        given = {
            "manager": version.changed_by,
            "title": kind.title,
            "address": build_address(page),
        }
        people = list_deciders(kind, version.app_id, version.changed_by)
        mail_each(people, _("A change to a setting needs your approval"), text % given)


TASKS = [tell_managers]
