"""Health checks of monitors and load balancers, answered before any other middleware."""

from django.http import HttpRequest, HttpResponseBase

from .middleware import GetResponse
from .views import alive, metrics, ready

_PROBES = {"/healthz": alive, "/readyz": ready, "/metrics": metrics}


class ProbesMiddleware:
    """Answer health probes before the host name is checked.

    A load balancer uses the address of the machine, which is not in ALLOWED_HOSTS.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = _PROBES.get(request.path_info)
        return view(request) if view else self.get_response(request)
