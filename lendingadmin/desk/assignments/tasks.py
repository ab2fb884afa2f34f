"""Tasks that assign borrowers by rules and by lists, in slices."""

from datetime import timedelta

from django.conf import settings
from django_tasks import task

from lendingadmin.core.worker import duties, walks

from . import bulk, rules
from .models import BulkAssignment, RuleSet, RuleWalk

_EVERY = timedelta(minutes=1)
_LOST = timedelta(seconds=30)


@task(priority=-20)
def assign_list(number: int) -> None:
    """Assign borrowers of a list for some seconds; enqueue the next slice if borrowers remain."""
    walks.do_slice(assign_list, bulk.run_slice, number)


@task(priority=-40)
def follow_rules(number: int) -> None:
    """Apply rules to borrowers for some seconds; enqueue the next slice if borrowers remain."""
    walks.do_slice(follow_rules, rules.run_slice, number)


@task(priority=-40)
def begin_walks() -> None:
    """Begin a walk of the rules in force if the snapshot or the officers have changed."""
    with duties.hide_error_words("assigning by rules"):
        for app in settings.LENDING_APPS:
            active = rules.find_active(app.app_id)
            walk = rules.begin_walk(active) if active else None
            # If the snapshot and the officers of a stopped walk are current again, this walk
            # continues.
            if walk and walk.state == RuleWalk.State.STOPPED:
                none = dict.fromkeys(rules.COUNTS, 0)
                walk.step(state=RuleWalk.State.RUNNING, after="", **none)
            if walk and walk.state != RuleWalk.State.DONE:
                enqueue_walk(walk)


def enqueue_walk(walk: RuleWalk) -> None:
    """Enqueue the task that continues a walk, unless this task waits or runs already."""
    if walk.pk not in duties.list_enqueued(follow_rules, running=True):
        follow_rules.enqueue(walk.pk)


def beat() -> None:
    """Enqueue due work, and resume lost work."""
    if RuleSet.objects.exists():
        duties.enqueue_at_most_every(_EVERY, begin_walks)
    assigning = BulkAssignment.objects.filter(state=bulk.State.ASSIGNING)
    walks.resume_lost(assign_list, assigning, after=_LOST)
    running = RuleWalk.objects.filter(state=RuleWalk.State.RUNNING)
    walks.resume_lost(follow_rules, running, after=_LOST)
