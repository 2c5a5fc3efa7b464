"""The name for what JSON, YAML or a handler hands over: anything, until it has been looked at."""

from typing import Any, TypeAlias

Json: TypeAlias = Any
