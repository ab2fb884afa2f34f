"""Roles that the groups of the identity provider give (OIDC_ROLES). Settings import this module."""

from collections.abc import Callable, Iterator, Sequence

from lendingadmin.core.gateway.lending_apps import LendingApp

#: Pairs of app id and role name, by group.
ProviderRoles = dict[str, list[tuple[str, str]]]


def read_provider_roles(apps: Sequence[LendingApp], *roles: str) -> Callable[[str], ProviderRoles]:
    """Return a reader of `lender-officers=kenya:officer,lender-heads=kenya:manager+ghana:viewer`.

    A group may have any name without a comma; `roles` are the roles that a group may give. The
    reader raises ValueError with a sentence for the author of the text.
    """
    known = [app.app_id for app in apps]

    def read(text: str) -> ProviderRoles:
        found: ProviderRoles = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            group, _equals, places = (piece.strip() for piece in part.rpartition("="))
            if not group or group in found:
                raise ValueError(f"“{part}”: give each group once, as group=app:role+app:role,…")
            found[group] = list(_read_places(places, known, roles))
        if text and not found:
            raise ValueError("give at least one group, as group=app:role+app:role,…")
        return found

    return read


def _read_places(
    text: str, known: Sequence[str], roles: Sequence[str]
) -> Iterator[tuple[str, str]]:
    for place in text.split("+"):
        app_id, _colon, role = (piece.strip() for piece in place.partition(":"))
        if app_id not in known:
            raise ValueError(f"“{app_id}” of “{text}” is not an app of LENDING_APPS")
        if role not in roles:
            raise ValueError(f"“{role}” of “{text}” is not one of: {', '.join(roles)}")
        yield app_id, role
