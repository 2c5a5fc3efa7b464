"""The SQS endpoint: what the AWS SDK asks of queues, over the JSON protocol.

Knows requests and answers in the shapes that SDKs parse; what a queue does, `queue_state` does.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from infra.local.cloudformation.intrinsics import Place
from infra.local.sources.batches import answered
from infra.local.sources.contents import check_group, read_content, size
from infra.local.sources.messages import (
    SYSTEM_ATTRIBUTES,
    Message,
    asked_for,
    attributes_md5,
    system_attributes,
)
from infra.local.sources.parameters import listed, needed, number, text
from infra.local.sources.queue_attributes import described
from infra.local.sources.queue_specs import LONGEST_VISIBILITY_S, LONGEST_WAIT_S, MOST_BYTES
from infra.local.sources.queue_state import Queue
from infra.local.sources.queues import Queues
from infra.local.sources.sqs_errors import SqsError, missing, no_such_queue, simple

MOST_RECEIVED: Final = 10
POLL_EVERY_S: Final = 0.05
ALL: Final = "All"


@dataclass(frozen=True, slots=True)
class SqsEndpoint:
    """Answers SQS requests for the queues of a template."""

    queues: Queues
    place: Place

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Answer one request of an SDK."""
        operation = request.headers.get("X-Amz-Target", "").removeprefix("AmazonSQS.")
        try:
            # Read as a stream: as a whole aiohttp would refuse what is just the size of a message.
            parameters = _parameters(await request.content.read())
            traced = request.headers.get("X-Amzn-Trace-Id")
            answer = await self._serve(operation, {**parameters, TRACED: traced})
        except SqsError as error:
            return error.response()
        return web.Response(text=json.dumps(answer), content_type="application/x-amz-json-1.0")

    async def _serve(self, operation: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "ReceiveMessage":
            return await self._receive(parameters)
        serve = OPERATIONS.get(operation)
        if serve is None:
            raise SqsError("InvalidAction", f"{operation} is not served")
        return serve(self, parameters)

    async def _receive(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        queue = self._queue(parameters)
        most = number(parameters, "MaxNumberOfMessages", range(1, MOST_RECEIVED + 1)) or 1
        visibility = number(parameters, "VisibilityTimeout", range(LONGEST_VISIBILITY_S + 1))
        wait_s = number(parameters, "WaitTimeSeconds", range(LONGEST_WAIT_S + 1))
        attempt_id = text(parameters, "ReceiveRequestAttemptId")
        asked = _asked_attributes(parameters)
        loop = asyncio.get_running_loop()
        # Whoever waits here waits in real time: his client's own time-out does too.
        until = loop.time() + (queue.spec.wait_s if wait_s is None else wait_s)
        while not (messages := queue.receive(most, visibility, attempt_id)) and loop.time() < until:  # noqa: ASYNC110  a person's or a test's long poll
            await asyncio.sleep(POLL_EVERY_S)
        received = [self._received(message, asked, parameters) for message in messages]
        return {"Messages": received} if received else {}

    def _received(
        self, message: Message, asked: set[str], parameters: Mapping[str, Any]
    ) -> dict[str, Any]:
        received: dict[str, Any] = {
            "MessageId": message.id,
            "ReceiptHandle": message.receipt,
            "MD5OfBody": message.md5,
            "Body": message.body,
        }
        system = {
            name: value
            for name, value in system_attributes(message, self.place).items()
            if ALL in asked or name in asked
        }
        if system:
            received["Attributes"] = system
        attributes = asked_for(message.attributes, listed(parameters, "MessageAttributeNames"))
        if attributes:
            received["MessageAttributes"] = attributes
            received["MD5OfMessageAttributes"] = attributes_md5(attributes)
        return received

    def _queue(self, parameters: Mapping[str, Any]) -> Queue:
        return self._named(needed(parameters, "QueueUrl").rstrip("/").rpartition("/")[2])

    def _named(self, name: str) -> Queue:
        queue = self.queues.by_name.get(name)
        if queue is None:
            raise no_such_queue()
        return queue

    # -- operations: parameters in, answer out -----------------------------------------

    def send(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """SendMessage."""
        return _send(self._queue(parameters), parameters, parameters[TRACED])

    def send_batch(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """SendMessageBatch: each entry succeeds or fails by itself."""
        queue = self._queue(parameters)
        entries = listed(parameters, "Entries")
        sent = sum(size(entry) for entry in entries)
        if sent > MOST_BYTES:
            words = f"Batch requests cannot be longer than {MOST_BYTES} bytes."
            raise simple("BatchRequestTooLong", f"{words} You have sent {sent} bytes.")
        for entry in entries:
            check_group(entry, queue.spec)
        return answered(entries, lambda entry: _send(queue, entry, parameters[TRACED]))

    def delete(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """DeleteMessage."""
        return _delete(self._queue(parameters), parameters)

    def delete_batch(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """DeleteMessageBatch."""
        queue = self._queue(parameters)
        return answered(listed(parameters, "Entries"), lambda entry: _delete(queue, entry))

    def change_visibility(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """ChangeMessageVisibility."""
        return _change_visibility(self._queue(parameters), parameters)

    def change_visibility_batch(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """ChangeMessageVisibilityBatch."""
        queue = self._queue(parameters)
        entries = listed(parameters, "Entries")
        return answered(entries, lambda entry: _change_visibility(queue, entry))

    def url(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """GetQueueUrl."""
        return {"QueueUrl": self._named(needed(parameters, "QueueName")).spec.url}

    def urls(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """ListQueues; without any, there is no list."""
        prefix = text(parameters, "QueueNamePrefix") or ""
        queues = self.queues.by_name.values()
        urls = [one.spec.url for one in queues if one.spec.name.startswith(prefix)]
        return {"QueueUrls": urls} if urls else {}

    def sources(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """ListDeadLetterSourceQueues."""
        arn = self._queue(parameters).spec.arn
        queues = self.queues.by_name.values()
        return {"queueUrls": [one.spec.url for one in queues if one.spec.dead_letters == arn]}

    def attributes(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """GetQueueAttributes."""
        queue = self._queue(parameters)
        return described(queue, listed(parameters, "AttributeNames"))

    def purge(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """PurgeQueue."""
        self._queue(parameters).purge()
        return {}


TRACED: Final = "traced by"
OPERATIONS: Final[Mapping[str, Callable[[SqsEndpoint, Mapping[str, Any]], dict[str, Any]]]] = {
    "ChangeMessageVisibility": SqsEndpoint.change_visibility,
    "ChangeMessageVisibilityBatch": SqsEndpoint.change_visibility_batch,
    "DeleteMessage": SqsEndpoint.delete,
    "DeleteMessageBatch": SqsEndpoint.delete_batch,
    "GetQueueAttributes": SqsEndpoint.attributes,
    "GetQueueUrl": SqsEndpoint.url,
    "ListDeadLetterSourceQueues": SqsEndpoint.sources,
    "ListQueues": SqsEndpoint.urls,
    "PurgeQueue": SqsEndpoint.purge,
    "SendMessage": SqsEndpoint.send,
    "SendMessageBatch": SqsEndpoint.send_batch,
}


def _parameters(body: bytes) -> Mapping[str, Any]:
    try:
        parameters = json.loads(body or b"{}")
    except ValueError:
        parameters = None
    if not isinstance(parameters, Mapping):
        raise SqsError("SerializationException", "The request is not a JSON object.")
    return parameters


def _asked_attributes(parameters: Mapping[str, Any]) -> set[str]:
    asked = {
        *listed(parameters, "AttributeNames"),
        *listed(parameters, "MessageSystemAttributeNames"),
    }
    for name in sorted(asked - SYSTEM_ATTRIBUTES - {ALL}):
        raise SqsError("InvalidAttributeName", f"Unknown Attribute {name}.")
    return asked


def _send(queue: Queue, parameters: Mapping[str, Any], traced: str | None) -> dict[str, Any]:
    outgoing = read_content(parameters, queue.spec, traced)
    message = queue.send(outgoing)
    answer = {"MessageId": message.id, "MD5OfMessageBody": message.md5}
    if outgoing.attributes:
        answer["MD5OfMessageAttributes"] = attributes_md5(outgoing.attributes)
    if parameters.get("MessageSystemAttributes"):
        system = attributes_md5(parameters["MessageSystemAttributes"])
        answer["MD5OfMessageSystemAttributes"] = system
    if message.sequence is not None:
        answer["SequenceNumber"] = message.sequence
    return answer


def _delete(queue: Queue, parameters: Mapping[str, Any]) -> dict[str, Any]:
    queue.delete(needed(parameters, "ReceiptHandle"))
    return {}


def _change_visibility(queue: Queue, parameters: Mapping[str, Any]) -> dict[str, Any]:
    span_s = number(parameters, "VisibilityTimeout", range(LONGEST_VISIBILITY_S + 1))
    if span_s is None:
        raise missing("VisibilityTimeout")
    queue.change_visibility(needed(parameters, "ReceiptHandle"), span_s)
    return {}
