"""Rights of the area, and the search for people who may have borrowers."""

from django.db.models import QuerySet

from lendingadmin.core.staff.models import User

#: Right to assign borrowers to officers, one by one, in bulk and by rules.
CHANGE = "dashboard.assignments.change"
#: Right to hand over one's own borrowers while away.
HAND_OVER = "dashboard.assignments.handOver"
#: People with this right to call may have borrowers.
HOLD = "dashboard.collections.call"


def list_officers(app_id: str) -> QuerySet[User]:
    """Return the people who may have borrowers of an app, by name.

    These people are active, and one of their roles in the app gives the right HOLD. A superuser
    without such a role is left out.
    """
    people = User.objects.with_perm(
        HOLD,
        include_superusers=False,
        obj=app_id,  # type: ignore[arg-type]
    )
    return people.order_by("username")
