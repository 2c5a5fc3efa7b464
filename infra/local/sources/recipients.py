"""Who can be handed an event without waiting for an answer: functions and queues, by their ARNs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.json_values import Json
from infra.local.lambdas.functions import Function, Functions
from infra.local.lambdas.qualifiers import qualifier_of
from infra.local.sources.messages import Outgoing
from infra.local.sources.queues import Queues


class Invokes(Protocol):
    """Invokes functions for events that nobody waits for."""

    def send(self, function: Function, event: Json, qualifier: str) -> str:
        """Accept an event; return its request id."""


@dataclass(frozen=True, slots=True)
class Recipients:
    """The functions and the queues of a template."""

    functions: Functions
    queues: Queues
    asynchronous: Invokes

    def named(self, arn: str, owner: str) -> Callable[[str], None]:
        """Return what hands a text over to `arn`; raises TemplateError in the name of `owner`.

        A function is given the text's JSON, a queue the text as its message.
        """
        match arn.split(":"):
            case ["arn", _, "lambda", *_]:
                function, qualifier = self.functions.named(arn), qualifier_of(arn)

                def invoke(text: str) -> None:
                    self.asynchronous.send(function, json.loads(text), qualifier)

                return invoke
            case ["arn", _, "sqs", *_]:
                queue = self.queues.of_arn(arn)

                def send(text: str) -> None:
                    queue.send(Outgoing(text))

                return send
        raise TemplateError(f"{owner} sends to {arn}: only functions and queues are served")
