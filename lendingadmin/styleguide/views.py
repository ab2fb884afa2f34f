"""Page with all tokens and components."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from lendingadmin.web.access import signed_in
from lendingadmin.web.navigation import Navigation

from . import samples, tokens


@signed_in()
def guide(request: HttpRequest) -> HttpResponse:
    """Show every token and component in both themes; no personal data is read."""
    given: dict[str, Any] = {"spaces": tokens.steps("space"), "sizes": tokens.steps("text")}
    given["app"] = Navigation(request).app
    themes = []
    for theme in ("light", "dark"):
        shown = samples.sheet(theme) | given | {"colours": tokens.colours(theme)}
        drawn = render_to_string("styleguide/_theme.html", shown, request)
        themes.append({"theme": theme, "drawn": drawn})
    return render(request, "styleguide/guide.html", {"themes": themes})
