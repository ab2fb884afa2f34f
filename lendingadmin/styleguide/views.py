"""The page of all components."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from lendingadmin.web.access import signed_in
from lendingadmin.web.navigation import Navigation

from . import samples, tokens


@signed_in()
def guide(request: HttpRequest) -> HttpResponse:
    """Every token and component in both themes; it reads nothing of anybody."""
    themes = [{"theme": theme, "drawn": _drawn(request, theme)} for theme in ("light", "dark")]
    return render(request, "styleguide/guide.html", {"themes": themes})


def _drawn(request: HttpRequest, theme: str) -> str:
    scales = {"spaces": tokens.steps("space"), "sizes": tokens.steps("text")}
    given = {
        **samples.sheet(theme),
        **scales,
        "colours": tokens.colours(theme),
        "app": Navigation(request).app,
    }
    return render_to_string("styleguide/_theme.html", given, request)
