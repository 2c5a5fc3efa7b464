"""Whether an IAM policy, as Lambda authorizers return them, allows one ARN.

Pure. Deny wins over Allow; a `*` in a resource crosses slashes, but a slash that is asked for must
be there: `.../prod/*/*` does not allow `.../prod/$connect`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from infra.local.json_values import Json

ACTION: Final = "execute-api:Invoke"
STATEMENT_KEYS: Final = frozenset({"Effect", "Action", "Resource"})

Statements = list[Mapping[str, Any]]


def read_statements(policy: Json) -> Statements | None:
    """Return the statements of a policy document; None when it is none that is understood."""
    if not isinstance(policy, Mapping) or "Statement" not in policy:
        return None
    statements = _listed(policy["Statement"])
    understood = all(
        isinstance(one, Mapping) and set(one) - {"Sid"} == STATEMENT_KEYS for one in statements
    )
    return statements if understood else None


def allows(statements: Iterable[Mapping[str, Any]], arn: str) -> bool:
    """Say whether the statements allow that the API is called at this ARN."""
    effects = {
        statement["Effect"]
        for statement in statements
        if _matches(statement["Action"], ACTION, re.IGNORECASE)
        and _matches(statement["Resource"], arn)
    }
    return "Allow" in effects and "Deny" not in effects


def _matches(patterns: Json, value: str, flags: int = 0) -> bool:
    return any(re.fullmatch(_glob(str(one)), value, flags) for one in _listed(patterns))


def _glob(pattern: str) -> str:
    return re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")


def _listed(value: Json) -> list[Any]:
    return value if isinstance(value, list) else [value]
