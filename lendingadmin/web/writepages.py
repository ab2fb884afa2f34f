"""The page of one write: what was to be done, whether it was saved, and what happens next."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from lendingadmin import gateway
from lendingadmin.display.text import shown

from . import following, writes
from .access import signed_in
from .models import Write
from .polling import poll
from .requests import PersonRequest
from .writewords import wording

# How long an outcome is normally open; past that the page leaves looking to a button.
NORMAL = timedelta(minutes=2)
_GIVEN_UP = (Write.Found.NOT_SEEN, Write.Found.DIFFERS)


class SettleForm(forms.Form):
    """What became of a write that nobody can tell from what the service shows."""

    verdict = forms.ChoiceField(
        choices=Write.Verdict.choices, widget=forms.RadioSelect, label="What became of it"
    )
    reason = forms.CharField(
        min_length=5, max_length=1000, widget=forms.Textarea(attrs={"rows": 2}), label="Reason"
    )

    @property
    def chosen(self) -> tuple[Write.Verdict, str]:
        """The verdict, and the address of the record that it is, where one was named."""
        return Write.Verdict(self.cleaned_data["verdict"]), ""


class WhichForm(SettleForm):
    """Which of the records is the one, where the service has no natural key that tells it."""

    def __init__(self, *args: Any, candidates: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        field = forms.ChoiceField(
            choices=[(url, f"It is {words}") for words, url in candidates]
            + [("none", "It is none of these: it was not saved")],
            widget=forms.RadioSelect,
            label="Which one is it",
        )
        self.fields["verdict"] = field

    @property
    def chosen(self) -> tuple[Write.Verdict, str]:
        url = self.cleaned_data["verdict"]
        if url == "none":
            return Write.Verdict.NOT_SAVED, ""
        return Write.Verdict.SAVED, url


@signed_in()
def write(request: PersonRequest, app_id: str, token: str) -> HttpResponse:
    """One write, for its person and for managers; it is looked at again when that is due."""
    one = _one(request, app_id, token)
    following.look_if_due(one)
    return _show(request, one)


def _one(request: PersonRequest, app_id: str, token: str) -> Write:
    """The write. Raises Http404, and PermissionDenied for who may not see it."""
    gateway.lending_app(app_id)
    found = Write.objects.select_related("person", "settled_by").filter(app_id=app_id, pk=token)
    one = found.first()
    if one is None:
        raise Http404("There is no such write here.")
    if not following.may_see(one, request.user):
        raise PermissionDenied("What somebody was about to save is for them and for managers.")
    way = following.way_of(one)
    if way and not request.user.has_perm(way.reads):
        raise PermissionDenied("Your role does not allow seeing what this wrote.")
    return one


def _show(request: PersonRequest, one: Write, form: forms.Form | None = None) -> HttpResponse:
    context = _status(request, one, seen=_seen(one)) | {
        "looks": one.looks.all(),
        "told": told(following.meant(one)),
        "settle_form": form or _settle_form(one),
        "may_settle": _may_settle(request, one),
        "again_url": _again(request, one),
    }
    return render(request, "writes/write.html", context)


@signed_in()
def status(request: PersonRequest, app_id: str, token: str) -> HttpResponse:
    """The polled part of the page; it takes the next look when that is due."""
    one = _one(request, app_id, token)
    following.look_if_due(one)
    context = _status(request, one, seen=request.GET.get("seen", ""))
    return render(request, "writes/_status.html", context)


def _status(request: PersonRequest, one: Write, seen: str) -> dict[str, Any]:
    latest = one.looks.last()
    waits = one.is_open and one.found != Write.Found.THERE
    return {
        "write": one,
        "words": following.words_of(one),
        "wording": wording(one, following.way_of(one)),
        "card": writes.card_of(one),
        "latest": latest,
        "poll": poll(request, one.created_at, NORMAL, waiting=waits),
        "page_seen": seen,
        "moved": seen != _seen(one),
        "app": gateway.lending_app(one.app_id),
    }


def _seen(one: Write) -> str:
    """With which state and finding a page was drawn."""
    return f"{one.state}-{one.found}"


@signed_in(methods=("POST",))
def look(request: PersonRequest, app_id: str, token: str) -> HttpResponse:
    """A person asks for a look now."""
    one = _one(request, app_id, token)
    following.look_now(one)
    return redirect(one)


@signed_in(methods=("POST",))
def settle(request: PersonRequest, app_id: str, token: str) -> HttpResponse:
    """A person decides what became of it, with a reason."""
    one = _one(request, app_id, token)
    if not _may_settle(request, one):
        raise PermissionDenied("This is for a manager to settle, once it is unknown.")
    form = _settle_form(one, request.POST)
    if not form.is_valid():
        return _show(request, one, form)
    verdict, url = form.chosen
    if following.settle(one, verdict, form.cleaned_data["reason"], request.user, url):
        messages.success(request, "Settled. Your reason is kept with it.")
    else:
        messages.warning(request, "Nothing was changed: its state had changed meanwhile.")
    return redirect(one)


def _may_settle(request: PersonRequest, one: Write) -> bool:
    """Managers; and where only a person can say which record it is, who entered it."""
    way = following.way_of(one)
    knows = way is not None and way.to_be_told and one.person == request.user
    return one.state == Write.State.UNKNOWN and (knows or request.user.has_perm(following.SETTLE))


def _settle_form(one: Write, data: Any = None) -> SettleForm:
    way = following.way_of(one)
    if way is None or not way.to_be_told:
        return SettleForm(data)
    seen = one.looks.exclude(found="").last()
    return WhichForm(data, candidates=[tuple(link) for link in seen.links] if seen else [])


def _again(request: PersonRequest, one: Write) -> str:
    """Where its person may enter it again; empty while that would only be impatience."""
    given_up = one.state == Write.State.UNKNOWN and one.found in _GIVEN_UP
    settled_so = one.state == Write.State.SETTLED and one.settled_as == Write.Verdict.NOT_SAVED
    may = one.person == request.user and request.user.has_perm(f"lending.{one.operation}")
    if not (may and one.again_at and one.meant):
        return ""
    if not (given_up or settled_so or one.state == Write.State.NOT_SAVED):
        return ""
    return f"{one.again_at}{'&' if '?' in one.again_at else '?'}again={one.token}"


def told(meant: following.Meant | None) -> list[tuple[str, str]]:
    """What was to be saved, in short: each field that is new, and of a list how long it is."""
    rows: list[tuple[str, str]] = []
    sent, before = meant or following.Meant({})
    for name, value in sent.items():
        if isinstance(value, Mapping):
            old = before.get(name)
            kept = old.items() if isinstance(old, Mapping) else ()
            new = [pair for pair in value.items() if pair not in kept]
            rows += [(f"{name} · {key}", _short(part)) for key, part in new]
        else:
            rows.append((name, _short(value)))
    return rows


def _short(value: object) -> str:
    if isinstance(value, list | tuple):
        return "none" if not value else f"{len(value)} in the list"
    if isinstance(value, Mapping):
        return f"{len(value)} fields"
    return shown(value)
