"""How the switches of `faults` are thrown: by arguments at the start, by JSON while it runs.

A wish names some switches, perhaps a preset and a seed; what it does not name is as at the start.
Knows that in-process mode has no workers to freeze, recycle or start cold.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, get_args

import msgspec

from infra.local.call_faults import CallFaults, Share, Whole
from infra.local.faults import Chance, Faults

# Those of calls last: they are many.
FIELDS: Final = sorted(
    msgspec.structs.fields(Faults), key=lambda one: one.name in CallFaults.__struct_fields__
)
NAMES: Final = {one.encode_name: one for one in FIELDS}
# `queue-late` on the command line is `queueLate` in JSON.
ARGUMENTS: Final = {one.name.replace("_", "-"): one for one in FIELDS}
ON_AND_OFF: Final = {"on": "true", "off": "false"}
OF_WORKERS: Final = frozenset({"freeze", "coldStartMs", "recycleAfter", "killed"})
# What needs something that stands before DynamoDB, which is only there if it was asked for.
OF_THE_FRONT: Final = frozenset(name for name in NAMES if name.startswith("dynamodb"))
# Names by which several switches are thrown at once.
PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "storm": {
        "messages": "shuffled",
        "posts": "shuffled",
        "disconnectDropped": 0.2,
        "disconnectLate": 0.3,
        "queueDoubled": 0.2,
        "queueLate": 0.3,
        "queueOrder": "shuffled",
        "streamDoubled": 0.2,
        "streamLate": 0.3,
        "streamOrder": "shuffled",
        "tickDoubled": 0.2,
        "tickLate": 0.3,
        "coldStartMs": 100,
        "recycleAfter": 50,
    },
    "outage": {
        "dynamodbThrottled": 0.02,
        "dynamodbFailed": 0.01,
        "dynamodbFailedAfter": 0.01,
        "dynamodbHungUp": 0.01,
        "dynamodbUnanswered": 0.002,
        "dynamodbConflict": 0.02,
        "dynamodbLate": 0.05,
        "sqsThrottled": 0.1,
        "sqsFailed": 0.1,
        "sqsFailedAfter": 0.1,
        "sqsHungUp": 0.1,
        "sqsUnanswered": 0.02,
        "sqsLate": 0.1,
        "connectionsThrottled": 0.05,
        "connectionsFailed": 0.05,
        "connectionsFailedAfter": 0.05,
        "connectionsHungUp": 0.02,
        "connectionsUnanswered": 0.005,
        "connectionsLate": 0.05,
        "killed": 0.02,
    },
}


class FaultError(Exception):
    """A switch or a value that does not exist; told in one line."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for, checked, by JSON name. Without a seed it is the one of the start."""

    named: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    presets: tuple[str, ...] = ()

    @property
    def wants_front(self) -> bool:
        """Whether a switch of DynamoDB's calls is named, be it that it is off."""
        named = {*self.named, *(name for preset in self.presets for name in PRESETS[preset])}
        return not OF_THE_FRONT.isdisjoint(named)

    def values(self, *, has_workers: bool) -> dict[str, Any]:
        """Return all values; raises FaultError for one that was named and cannot be had."""
        preset = {name: value for one in self.presets for name, value in PRESETS[one].items()}
        for name in () if has_workers else sorted(OF_WORKERS):
            preset.pop(name, None)
            if self.named.get(name):
                raise FaultError(f"{name} needs worker processes: leave out --in-process")
        return {**preset, **self.named}


@dataclass(frozen=True, slots=True)
class Switchboard:
    """Throws the switches of a running system."""

    chance: Chance
    start: Faults
    start_seed: int
    has_workers: bool = True
    has_front: bool = False

    @classmethod
    def at_start(cls, wish: Wish, counts: Counter[str], *, has_workers: bool) -> "Switchboard":
        """Return the switches as the command line wants them; raises FaultError."""
        usual = Faults() if has_workers else Faults(freeze=False)
        board = cls(Chance(counts=counts), usual, 0, has_workers, wish.wants_front)
        board.throw(wish)
        return replace(board, start=board.chance.faults, start_seed=board.chance.seed)

    def throw(self, wish: Wish) -> None:
        """Draw by the wish from now on, from the beginning of its seed; raises FaultError."""
        if wish.wants_front and not self.has_front:
            raise FaultError("DynamoDB has no front: name one of its switches at the start")
        faults = _with(self.start, wish.values(has_workers=self.has_workers))
        self.chance.restart(faults, self.start_seed if wish.seed is None else wish.seed)

    def state(self) -> dict[str, Any]:
        """Return all values and the seed in the shape of the control API."""
        return {**msgspec.to_builtins(self.chance.faults), "seed": self.chance.seed}


def read_json(body: Mapping[str, Any]) -> Wish:
    """Return the wish of a JSON object; raises FaultError."""
    named = dict(body)
    seed, preset = named.pop("seed", None), named.pop("preset", None)
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise FaultError("seed is a whole number")
    if preset is not None and preset not in PRESETS:
        raise FaultError(f"preset is one of {', '.join(PRESETS)}")
    _with(Faults(), named)
    return Wish(named, seed, () if preset is None else (preset,))


def read_arguments(given: Sequence[str], seed: int | None) -> Wish:
    """Return the wish of arguments like `queue-late=0.2` or `storm`; raises FaultError."""
    named: dict[str, Any] = {}
    presets: list[str] = []
    for argument in given:
        name, separator, text = argument.partition("=")
        if not separator and name in PRESETS:
            presets.append(name)
        elif separator and name in ARGUMENTS:
            named[ARGUMENTS[name].encode_name] = _value(name, text)
        else:
            known = ", ".join([*PRESETS, *(f"{one}=..." for one in ARGUMENTS)])
            raise FaultError(f"--fault {argument}: there are {known}")
    return Wish(named, seed, tuple(presets))


def _value(name: str, text: str) -> Any:  # noqa: ANN401  as many types as there are switches
    wanted = ARGUMENTS[name]
    try:
        return msgspec.convert(ON_AND_OFF.get(text, text), wanted.type, strict=False)
    except msgspec.ValidationError:
        raise FaultError(f"--fault {name}={text}: {name} is {_described(wanted)}") from None


def _with(faults: Faults, values: Mapping[str, Any]) -> Faults:
    for name, value in values.items():
        if name not in NAMES:
            raise FaultError(f"no switch is called {name}; there are {', '.join(NAMES)}")
        try:
            msgspec.convert(value, NAMES[name].type)
        except msgspec.ValidationError:
            raise FaultError(f"{name} is {_described(NAMES[name])}") from None
    return msgspec.convert({**msgspec.to_builtins(faults), **values}, Faults)


def _described(switch: msgspec.structs.FieldInfo) -> str:
    if switch.type is bool:
        return "true or false"
    if switch.type == Share:
        return "a share from 0 to 1"
    if switch.type == Whole:
        return "a whole number, 0 or more"
    return f"one of {', '.join(get_args(switch.type))}"
