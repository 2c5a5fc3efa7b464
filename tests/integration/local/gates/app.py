"""Answers what it was given, and tries on its own connection what it is told to."""

import json
import os
import time
from collections import Counter
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

Event = dict[str, Any]

OK: Event = {"statusCode": 200}
table = boto3.resource("dynamodb").Table(os.environ["TABLE"])
once = Config(retries={"total_max_attempts": 1, "mode": "standard"})


def authorize(event: Event, context: Any) -> Event:  # noqa: ANN401
    statement = {
        "Action": "execute-api:Invoke",
        "Effect": "Allow",
        "Resource": event["methodArn"],
    }
    policy = {"Version": "2012-10-17", "Statement": [statement]}
    return {"principalId": "member", "policyDocument": policy}


def connect(event: Event, context: Any) -> Event:  # noqa: ANN401
    query = event.get("queryStringParameters") or {}
    time.sleep({"sleep": 3, "nap": 0.5}.get(query.get("do", ""), 0))
    tried = _tried(event) if query.get("do") == "try" else {}
    note(event, "connect", tried)
    return OK


def disconnect(event: Event, context: Any) -> Event:  # noqa: ANN401
    note(event, "gone", _tried(event))
    return OK


def answer(event: Event, context: Any) -> Event:  # noqa: ANN401
    message = json.loads(event["body"]) if event["body"].startswith("{") else {}
    match message.get("do"):
        case "sleep":
            time.sleep(message["seconds"])
        case "fail":
            raise RuntimeError("a secret detail")
        case "refuse":
            return {"statusCode": 500, "body": "well-formed"}
        case "plain":
            return {"statusCode": 200}
        case "long":
            return {"statusCode": 200, "body": "x" * message["bytes"]}
        case "half":
            return {"statusCode": 200, "body": "half a pair: \ud83d"}
        case "echo":
            _own(event).post_to_connection(
                ConnectionId=_id(event), Data=json.dumps({"event": event}).encode()
            )
        case "spread":
            note(event, "spread", dict(_spread(event, message["times"])))
    return {"statusCode": 200, "body": json.dumps({"heard": message})}


def own(event: Event, context: Any) -> Event:  # noqa: ANN401
    """Answer as a project with one API would: by the address that the environment has."""
    sockets = boto3.client("apigatewaymanagementapi")
    sockets.post_to_connection(ConnectionId=_id(event), Data=b'{"own": true}')
    return OK


def _spread(event: Event, times: int) -> Counter[str]:
    outcomes: Counter[str] = Counter()
    sockets = _own(event)
    for n in range(times):
        try:
            sockets.post_to_connection(ConnectionId=_id(event), Data=str(n).encode())
            outcomes["OK"] += 1
        except ClientError as error:
            outcomes[error.response["Error"]["Code"]] += 1
    return outcomes


def _tried(event: Event) -> dict[str, int]:
    sockets = _own(event)
    calls = {
        "post": lambda: sockets.post_to_connection(ConnectionId=_id(event), Data=b"x"),
        "get": lambda: sockets.get_connection(ConnectionId=_id(event)),
        "delete": lambda: sockets.delete_connection(ConnectionId=_id(event)),
    }
    return {name: _status(call) for name, call in calls.items()}


def _status(call: Any) -> int:  # noqa: ANN401
    try:
        return int(call()["ResponseMetadata"]["HTTPStatusCode"])
    except ClientError as error:
        return int(error.response["ResponseMetadata"]["HTTPStatusCode"])


def _own(event: Event) -> Any:  # noqa: ANN401 - clients are made at run time
    """Return a client for the stage that the event came from, however many there are."""
    known = os.environ["AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI"]
    stage = event["requestContext"]["stage"]
    address = f"{known.rpartition('/')[0]}/{stage}"
    return boto3.client("apigatewaymanagementapi", endpoint_url=address, config=once)


def _id(event: Event) -> str:
    return str(event["requestContext"]["connectionId"])


def note(event: Event, name: str, tried: dict[str, int]) -> None:
    table.update_item(
        Key={"id": _id(event)},
        UpdateExpression="SET #name = :value",
        ExpressionAttributeNames={"#name": name},
        ExpressionAttributeValues={":value": json.dumps({"event": event, "tried": tried})},
    )
