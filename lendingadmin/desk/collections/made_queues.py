"""Queues that managers make from lists of loans: their form and their commands.

The audit trail records each change of a queue.
"""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core import audit
from lendingadmin.core.audit.trail import transition
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.permissions import list_officers
from lendingadmin.desk.portfolio.models import LONGEST_NAME
from lendingadmin.web.fields import LineField

from .models import CallQueue
from .permissions import MANAGE_QUEUES

NAME_TAKEN = _("There is already a queue with this name.")


class CallQueueForm(forms.Form):
    """Form for the name of a queue and the people who work on it."""

    name = LineField(
        max_length=LONGEST_NAME,
        label=_("Name"),
        help_text=_(
            "Choose a name that describes the borrowers in the queue. Don't use a person's name."
        ),
    )
    people = forms.ModelMultipleChoiceField(
        queryset=User.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=_("Callers"),
        help_text=_("If this field is empty, everybody who may call can use the queue."),
    )

    def __init__(self, data: Any, *, app_id: str, queue: CallQueue | None = None) -> None:
        self.app_id, self.queue = app_id, queue
        initial = {"name": queue.name, "people": list(queue.people.all())} if queue else {}
        super().__init__(data, initial=initial)
        self.fields["people"].queryset = list_officers(app_id)  # type: ignore[attr-defined]

    def clean_name(self) -> str:
        """Return the name. Raise ValidationError if another queue of the app has this name."""
        name = str(self.cleaned_data["name"])
        others = CallQueue.objects.filter(app_id=self.app_id, name=name, retired_at=None)
        if (others.exclude(pk=self.queue.pk) if self.queue else others).exists():
            raise forms.ValidationError(NAME_TAKEN)
        return name


def create_queue(app_id: str, query: str, wanted: Mapping[str, Any], by: User) -> CallQueue | None:
    """Create a queue from the query string of a list; return None if the name is taken."""
    queue = CallQueue(app_id=app_id, query=query, created_by=by)
    return queue if _save(queue, wanted, by, "made") else None


def change_queue(queue: CallQueue, wanted: Mapping[str, Any], by: User) -> bool:
    """Change a queue's name and people.

    Return False if another request took the name or retired the queue.
    """
    return _save(queue, wanted, by, "changed")


def retire_queue(queue: CallQueue, by: User) -> bool:
    """Retire a queue, so that no page shows the queue; return False if it was already retired."""
    starts = CallQueue.objects.filter(retired_at=None)
    fields = {"retired_at": timezone.now(), "retired_by": by}
    people = _list_people(queue)
    return transition(
        queue, starts, fields, by=by, action=MANAGE_QUEUES, outcome="retired", detail=people
    )


def _save(queue: CallQueue, wanted: Mapping[str, Any], by: User, outcome: str) -> bool:
    people = list(wanted["people"])
    queue.name, queue.is_for_all = wanted["name"], not people
    try:
        with transaction.atomic():
            if queue.pk is None:
                queue.save()
            elif not CallQueue.objects.filter(pk=queue.pk, retired_at=None).update(
                name=queue.name, is_for_all=queue.is_for_all
            ):
                return False
            queue.people.set(people)
            audit.record_about(queue, by, MANAGE_QUEUES, outcome, detail=_list_people(queue))
    except IntegrityError:
        return False
    return True


def _list_people(queue: CallQueue) -> str:
    return ", ".join(queue.people.order_by("username").values_list("username", flat=True))
