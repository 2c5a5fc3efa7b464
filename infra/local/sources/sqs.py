"""The SQS endpoint: what the AWS SDK asks of queues, over the JSON protocol.

Knows requests, answers and errors in the shapes that SDKs parse; what a queue does, `queues` does.
"""

import asyncio
import hashlib
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from infra.local.cloudformation.intrinsics import Place
from infra.local.json_values import Json
from infra.local.sources.queues import Message, Queue, Queues
from infra.local.sources.records import system_attributes

LONGEST_DELAY_S: Final = 900
MOST_BYTES: Final = 1024 * 1024
MOST_IN_A_BATCH: Final = 10
POLL_EVERY_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class SqsError(Exception):
    """A request that cannot be served; `code` is what SDKs make an exception of."""

    code: str
    message: str
    query_code: str = ""


@dataclass(frozen=True, slots=True)
class SqsEndpoint:
    """Answers SQS requests for the queues of a template."""

    queues: Queues
    place: Place

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Answer one request of an SDK."""
        operation = request.headers.get("X-Amz-Target", "").removeprefix("AmazonSQS.")
        try:
            parameters = json.loads(await request.read() or b"{}")
            answer = await self._serve(operation, parameters)
        except SqsError as error:
            return _refusal(error)
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
        most = int(parameters.get("MaxNumberOfMessages", 1))
        visibility = parameters.get("VisibilityTimeout")
        loop = asyncio.get_running_loop()
        until = loop.time() + float(parameters.get("WaitTimeSeconds", 0))
        while not (messages := queue.receive(most, visibility)) and loop.time() < until:  # noqa: ASYNC110  a person's or a test's long poll
            await asyncio.sleep(POLL_EVERY_S)
        received = [self._received(message, parameters) for message in messages]
        return {"Messages": received} if received else {}

    def _received(self, message: Message, parameters: Mapping[str, Any]) -> dict[str, Any]:
        asked = {
            *parameters.get("AttributeNames", []),
            *parameters.get("MessageSystemAttributeNames", []),
        }
        system = system_attributes(message, self.place)
        received: dict[str, Any] = {
            "MessageId": message.id,
            "ReceiptHandle": message.receipt,
            "MD5OfBody": message.md5,
            "Body": message.body,
        }
        if asked:
            received["Attributes"] = {
                name: value for name, value in system.items() if "All" in asked or name in asked
            }
        if message.attributes and parameters.get("MessageAttributeNames"):
            received["MessageAttributes"] = message.attributes
            received["MD5OfMessageAttributes"] = attributes_md5(message.attributes)
        return received

    def _queue(self, parameters: Mapping[str, Any]) -> Queue:
        name = str(parameters.get("QueueUrl", "")).rstrip("/").rpartition("/")[2]
        return self._named(name)

    def _named(self, name: str) -> Queue:
        queue = self.queues.by_name.get(name)
        if queue is None:
            raise SqsError(
                "QueueDoesNotExist",
                "The specified queue does not exist.",
                "AWS.SimpleQueueService.NonExistentQueue",
            )
        return queue

    # -- operations: parameters in, answer out -----------------------------------------

    def send(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """SendMessage."""
        return _send(self._queue(parameters), parameters)

    def send_batch(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """SendMessageBatch: each entry succeeds or fails by itself."""
        queue = self._queue(parameters)
        return _batch(parameters, lambda entry: _send(queue, entry))

    def delete(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """DeleteMessage."""
        self._queue(parameters).delete(str(parameters.get("ReceiptHandle")))
        return {}

    def delete_batch(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """DeleteMessageBatch."""
        queue = self._queue(parameters)

        def delete(entry: Mapping[str, Any]) -> dict[str, Any]:
            queue.delete(str(entry.get("ReceiptHandle")))
            return {}

        return _batch(parameters, delete)

    def change_visibility(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """ChangeMessageVisibility."""
        receipt = str(parameters.get("ReceiptHandle"))
        span = int(parameters.get("VisibilityTimeout", 0))
        if not self._queue(parameters).change_visibility(receipt, span):
            raise SqsError("ReceiptHandleIsInvalid", "The receipt handle is unknown.")
        return {}

    def url(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """GetQueueUrl."""
        return {"QueueUrl": self._named(str(parameters.get("QueueName"))).spec.url}

    def urls(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """ListQueues."""
        prefix = str(parameters.get("QueueNamePrefix", ""))
        queues = self.queues.by_name.values()
        return {"QueueUrls": [one.spec.url for one in queues if one.spec.name.startswith(prefix)]}

    def attributes(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """GetQueueAttributes."""
        queue = self._queue(parameters)
        asked = parameters.get("AttributeNames", [])
        known = {
            **{name: str(count) for name, count in queue.counts().items()},
            "QueueArn": queue.spec.arn,
            "DelaySeconds": str(queue.spec.delay_s),
            "VisibilityTimeout": str(queue.spec.visibility_s),
            "MessageRetentionPeriod": str(queue.spec.retention_s),
        }
        return {
            "Attributes": {
                name: value for name, value in known.items() if "All" in asked or name in asked
            }
        }

    def purge(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """PurgeQueue."""
        self._queue(parameters).messages.clear()
        return {}


OPERATIONS: Final[Mapping[str, Callable[[SqsEndpoint, Mapping[str, Any]], dict[str, Any]]]] = {
    "ChangeMessageVisibility": SqsEndpoint.change_visibility,
    "DeleteMessage": SqsEndpoint.delete,
    "DeleteMessageBatch": SqsEndpoint.delete_batch,
    "GetQueueAttributes": SqsEndpoint.attributes,
    "GetQueueUrl": SqsEndpoint.url,
    "ListQueues": SqsEndpoint.urls,
    "PurgeQueue": SqsEndpoint.purge,
    "SendMessage": SqsEndpoint.send,
    "SendMessageBatch": SqsEndpoint.send_batch,
}


def attributes_md5(attributes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the digest of message attributes (AWS, "Calculating the MD5 message digest")."""
    digest = hashlib.md5(usedforsecurity=False)
    for name in sorted(attributes):
        attribute = attributes[name]
        value = str(attribute.get("StringValue", "")).encode()
        for part in (name.encode(), str(attribute.get("DataType", "String")).encode()):
            digest.update(struct.pack("!I", len(part)) + part)
        digest.update(b"\x01" + struct.pack("!I", len(value)) + value)
    return digest.hexdigest()


def _send(queue: Queue, parameters: Mapping[str, Any]) -> dict[str, Any]:
    body = parameters.get("MessageBody")
    if not isinstance(body, str) or not body:
        raise SqsError("MissingParameter", "The request must contain the parameter MessageBody.")
    if len(body.encode()) > MOST_BYTES:
        raise SqsError("InvalidParameterValue", "One or more parameters are invalid: too long.")
    attributes = dict(parameters.get("MessageAttributes") or {})
    message = queue.send(body, attributes, _delay(parameters.get("DelaySeconds")))
    answer = {"MessageId": message.id, "MD5OfMessageBody": message.md5}
    if attributes:
        answer["MD5OfMessageAttributes"] = attributes_md5(attributes)
    return answer


def _delay(value: Json) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or not 0 <= value <= LONGEST_DELAY_S:
        raise SqsError(
            "InvalidParameterValue",
            f"Value {value} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be "
            f">= 0 and <= {LONGEST_DELAY_S}.",
        )
    return value


def _batch(
    parameters: Mapping[str, Any], serve: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    entries = parameters.get("Entries") or []
    if not entries:
        raise SqsError("EmptyBatchRequest", "There should be at least one entry in the request.")
    if len(entries) > MOST_IN_A_BATCH:
        raise SqsError("TooManyEntriesInBatchRequest", "Maximum number of entries is 10.")
    if len({entry.get("Id") for entry in entries}) != len(entries):
        raise SqsError("BatchEntryIdsNotDistinct", "Two or more entries have the same Id.")
    successful, failed = [], []
    for entry in entries:
        try:
            successful.append({"Id": entry["Id"], **serve(entry)})
        except SqsError as error:
            told = {"Code": error.code, "Message": error.message, "SenderFault": True}
            failed.append({"Id": entry["Id"], **told})
    return {"Successful": successful, "Failed": failed}


def _refusal(error: SqsError) -> web.Response:
    headers = {"x-amzn-query-error": f"{error.query_code or error.code};Sender"}
    told = {"__type": f"com.amazonaws.sqs#{error.code}", "message": error.message}
    return web.Response(
        status=400,
        text=json.dumps(told),
        content_type="application/x-amz-json-1.0",
        headers=headers,
    )
