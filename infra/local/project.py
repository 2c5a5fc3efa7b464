"""What a template says is to be run: functions, APIs, tables, and where they are reached.

Everything that can be wrong with a template is found here, before anything is served.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.cloudformation.left_out import left_out
from infra.local.cloudformation.template import Template
from infra.local.dynamodb.tables import Table, read_tables
from infra.local.endpoints import Endpoints, described
from infra.local.httpapi.reading import read_http_apis
from infra.local.httpapi.routes import HttpApi
from infra.local.lambdas.functions import Function, Functions, read_functions
from infra.local.logs import report
from infra.local.websocket.routes import Api, by_heat, read_apis


@dataclass(frozen=True, slots=True)
class Project:
    """A template, read."""

    template: Template
    functions: Functions
    websockets: dict[str, Api]
    https: tuple[HttpApi, ...]
    tables: list[Table]

    @classmethod
    def of(cls, template: Template, state: Path) -> "Project":
        """Return what the template says. Raises TemplateError; what is left out is reported."""
        if line := left_out(template):
            report(line)
        functions = read_functions(template, state)
        return cls(
            template=template,
            functions=functions,
            websockets=read_apis(template, functions),
            https=read_http_apis(template, functions),
            tables=read_tables(template),
        )

    @property
    def stage(self) -> str | None:
        """The stage of the first WebSocket API."""
        return next(iter(self.websockets), None)

    def in_order(self) -> list[Function]:
        """Return the functions in the order in which a first visitor will need them."""
        return by_heat(self.functions, self.websockets)

    def endpoints(self, base_url: str, dynamodb: str, *, has_front: bool = False) -> Endpoints:
        """Return where AWS clients find the services."""
        return Endpoints(base_url, dynamodb, self.stage, has_front)

    def described(self, endpoints: Endpoints) -> dict[str, Any]:
        """Return names and endpoints in the shape of the control API."""
        return described(self.template, self.websockets, endpoints)
