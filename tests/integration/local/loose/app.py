"""Tells in which order things came, how often, and whether time passed between events."""

import json
import os
import threading
import time
from typing import Any

import boto3

Event = dict[str, Any]

OK: Event = {"statusCode": 200}
NOTE_EVERY_S = 0.002
sockets = boto3.client("apigatewaymanagementapi")
queue: Any = boto3.client("sqs")
ended = boto3.resource("dynamodb").Table(os.environ["ENDED"])


def say(event: Event, context: Any) -> Event:  # noqa: ANN401
    """Post each of the texts, after so long; or have it rung by the queue."""
    message, connection = json.loads(event["body"]), event["requestContext"]["connectionId"]
    time.sleep(message.get("after", 0))
    for text in message.get("texts", ()):
        post(connection, {"said": text, "pid": os.getpid()})
    if "later" in message:
        bodies = [json.dumps({"text": text, "to": connection}) for text in message["later"]]
        entries = [
            {"Id": str(number), "MessageBody": body, "DelaySeconds": message.get("seconds", 0)}
            for number, body in enumerate(bodies)
        ]
        queue.send_message_batch(QueueUrl=os.environ["LATER"], Entries=entries)
    if message.get("close"):
        sockets.delete_connection(ConnectionId=connection)
    if "note" in message:
        ended.put_item(Item={"id": message["note"]})
    return OK


class Hummer(threading.Thread):
    """Hums in the background and knows its longest silence."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.longest_s = 0.0
        self.notes = 0

    def run(self) -> None:
        """Hum for ever."""
        last = time.monotonic()
        while True:
            time.sleep(NOTE_EVERY_S)
            now = time.monotonic()
            self.longest_s, last = max(self.longest_s, now - last), now
            self.notes += 1


hummer = Hummer()


def hum(event: Event, context: Any) -> Event:  # noqa: ANN401
    """Begin to hum, and tell the longest silence since the last time."""
    if not hummer.is_alive():
        hummer.start()
    begun = hummer.notes
    while hummer.notes < begun + 2:
        time.sleep(NOTE_EVERY_S)
    told = {"silence": hummer.longest_s, "pid": os.getpid()}
    hummer.longest_s = 0.0
    post(event["requestContext"]["connectionId"], told)
    return OK


def going(event: Event, context: Any) -> Event:  # noqa: ANN401
    """Note who is gone, and when it was told."""
    about = event["requestContext"]
    ended.put_item(Item={"id": about["connectionId"], "at": about["requestTimeEpoch"]})
    return OK


def ring(event: Event, context: Any) -> None:  # noqa: ANN401
    """Tell all texts of a batch at once, to the one who sent the first."""
    bodies = [json.loads(record["body"]) for record in event["Records"]]
    about = [
        {
            "id": record["messageId"],
            "receipt": record["receiptHandle"],
            "count": record["attributes"]["ApproximateReceiveCount"],
        }
        for record in event["Records"]
    ]
    post(bodies[0]["to"], {"rang": [body["text"] for body in bodies], "about": about})


def tick(event: Event, context: Any) -> None:  # noqa: ANN401
    """Nothing: invocations are counted."""


def post(connection: str, told: Event) -> None:
    """Send JSON to one client."""
    sockets.post_to_connection(ConnectionId=connection, Data=json.dumps(told).encode())
