"""What a client must bring to `$connect`: headers and query parameters that a route requires.

Knows a route's RequestParameters (fact A3), written as `route.request.header.X` or
`route.request.querystring.X` with `Required`.
"""

from collections.abc import Mapping
from typing import Any, Final

from infra.local.cloudformation.intrinsics import TemplateError

PLACES: Final = ("route.request.header.", "route.request.querystring.")
CONNECT: Final = "$connect"


def read_required(route: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parameters that a route's properties require."""
    given = route.get("RequestParameters") or {}
    if given and route["RouteKey"] != CONNECT:
        raise TemplateError(f"RequestParameters are for {CONNECT} only, not {route['RouteKey']}")
    strange = [name for name in given if not name.startswith(PLACES)]
    if strange:
        raise TemplateError(f"the request parameter {strange[0]} is refused by API Gateway")
    return tuple(name for name, demand in given.items() if _is_required(demand))


def _is_required(demand: object) -> bool:
    value = demand.get("Required", False) if isinstance(demand, Mapping) else demand
    return str(value).lower() == "true"
