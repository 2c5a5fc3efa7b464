"""Resolves the intrinsic functions of a CloudFormation template.

Knows the functions (Ref, Fn::GetAtt, Fn::Sub, Fn::Join, Fn::If ...) and the pseudo parameters.
What a resource is called, and what its attributes are, it asks a `Naming`.
"""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from infra.local.json_values import Json

PLACEHOLDER: Final = re.compile(r"\$\{(!?)([^}]+)\}")


class TemplateError(Exception):
    """The template asks for something that cannot be made out or served."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the stack pretends to stand."""

    region: str = "us-east-1"
    account: str = "000000000000"
    stack: str = "local"
    partition: str = "aws"


class Naming(Protocol):
    """Says what `Ref` and `Fn::GetAtt` give for a resource."""

    def ref(self, logical_id: str) -> str:
        """Return what `Ref` gives for the resource."""

    def attribute(self, logical_id: str, attribute: str) -> str:
        """Return what `Fn::GetAtt` gives for the resource and the attribute."""


class _NoValue:
    """Stands for `AWS::NoValue`: what holds it is left out."""


NO_VALUE: Final = _NoValue()


@dataclass(slots=True)
class Resolver:
    """Turns template fragments into plain values; `naming` is set before a resource is named."""

    place: Place
    parameters: Mapping[str, Any] = field(default_factory=dict)
    mappings: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)
    naming: Naming | None = None

    def resolve(self, node: Json) -> Json:
        """Return `node` with every intrinsic function replaced by its value."""
        if isinstance(node, list):
            return [value for item in node if (value := self.resolve(item)) is not NO_VALUE]
        if not isinstance(node, dict):
            return node
        if len(node) == 1:
            ((name, argument),) = node.items()
            function = FUNCTIONS.get(name)
            if function is not None:
                return function(self, argument)
            if name.startswith("Fn::"):
                message = f"{name} is not understood"
                raise TemplateError(message)
        resolved = {key: self.resolve(value) for key, value in node.items()}
        return {key: value for key, value in resolved.items() if value is not NO_VALUE}

    def holds(self, condition: str) -> bool:
        """Say whether a named condition of the template is true."""
        if condition not in self.conditions:
            raise TemplateError(f"condition {condition} is not defined")
        return bool(self.resolve(self.conditions[condition]))

    def ref(self, name: str) -> Json:
        """Return what `Ref` gives: a parameter, a pseudo parameter or a resource."""
        if name in self.parameters:
            return self.parameters[name]
        if name.startswith("AWS::"):
            return self._pseudo(name)
        return self._names().ref(name)

    def attribute(self, logical_id: str, attribute: str) -> Json:
        """Return what `Fn::GetAtt` gives."""
        return self._names().attribute(logical_id, attribute)

    def _names(self) -> Naming:
        if self.naming is None:
            raise TemplateError("a resource is referred to where only parameters may be")
        return self.naming

    def _pseudo(self, name: str) -> Json:
        place = self.place
        values = {
            "AWS::AccountId": place.account,
            "AWS::NoValue": NO_VALUE,
            "AWS::NotificationARNs": [],
            "AWS::Partition": place.partition,
            "AWS::Region": place.region,
            "AWS::StackId": (
                f"arn:{place.partition}:cloudformation:{place.region}:{place.account}"
                f":stack/{place.stack}/local"
            ),
            "AWS::StackName": place.stack,
            "AWS::URLSuffix": "amazonaws.com",
        }
        if name not in values:
            raise TemplateError(f"{name} is not understood")
        return values[name]


def text(value: Json) -> str:
    """Return a value as CloudFormation writes it into a string."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _ref(resolver: Resolver, argument: Json) -> Json:
    return resolver.ref(str(argument))


def _get_att(resolver: Resolver, argument: Json) -> Json:
    if isinstance(argument, str):
        logical_id, _, attribute = argument.partition(".")
    else:
        logical_id, attribute = str(argument[0]), text(resolver.resolve(argument[1]))
    return resolver.attribute(logical_id, attribute)


def _sub(resolver: Resolver, argument: Json) -> str:
    pattern, own = (argument, {}) if isinstance(argument, str) else (argument[0], argument[1])
    values = {key: resolver.resolve(value) for key, value in own.items()}

    def replacement(match: re.Match[str]) -> str:
        literal, name = match.groups()
        if literal:
            return "${" + name + "}"
        if name in values:
            return text(values[name])
        if "." in name and not name.startswith("AWS::"):
            return text(resolver.attribute(*name.split(".", 1)))
        return text(resolver.ref(name))

    return PLACEHOLDER.sub(replacement, pattern)


def _join(resolver: Resolver, argument: Json) -> str:
    separator, parts = argument
    return str(separator).join(text(part) for part in resolver.resolve(parts))


def _select(resolver: Resolver, argument: Json) -> Json:
    index, items = argument
    return resolver.resolve(items)[int(resolver.resolve(index))]


def _split(resolver: Resolver, argument: Json) -> list[str]:
    separator, whole = argument
    return text(resolver.resolve(whole)).split(str(separator))


def _if(resolver: Resolver, argument: Json) -> Json:
    condition, then, otherwise = argument
    return resolver.resolve(then if resolver.holds(str(condition)) else otherwise)


def _equals(resolver: Resolver, argument: Json) -> bool:
    left, right = argument
    return text(resolver.resolve(left)) == text(resolver.resolve(right))


def _find_in_map(resolver: Resolver, argument: Json) -> Json:
    name, top, second = (text(resolver.resolve(part)) for part in argument[:3])
    try:
        return resolver.resolve(resolver.mappings[name][top][second])
    except KeyError:
        raise TemplateError(f"mapping {name} has no {top}.{second}") from None


def _base64(resolver: Resolver, argument: Json) -> str:
    return base64.b64encode(text(resolver.resolve(argument)).encode()).decode()


FUNCTIONS: Final[Mapping[str, Callable[[Resolver, Any], Any]]] = {
    "Ref": _ref,
    "Condition": lambda resolver, argument: resolver.holds(str(argument)),
    "Fn::GetAtt": _get_att,
    "Fn::Sub": _sub,
    "Fn::Join": _join,
    "Fn::Select": _select,
    "Fn::Split": _split,
    "Fn::If": _if,
    "Fn::Equals": _equals,
    "Fn::And": lambda resolver, argument: all(resolver.resolve(part) for part in argument),
    "Fn::Or": lambda resolver, argument: any(resolver.resolve(part) for part in argument),
    "Fn::Not": lambda resolver, argument: not resolver.resolve(argument[0]),
    "Fn::FindInMap": _find_in_map,
    "Fn::Base64": _base64,
}
