"""A chat: what comes in is said to everybody. With corners that misbehave, for the tests."""

import json
import os
import time
from typing import Any

import boto3
import clocks  # type: ignore[import-not-found]  # beside this file, as on Lambda

Event = dict[str, Any]

OK: Event = {"statusCode": 200}
table = boto3.resource("dynamodb").Table(os.environ["TABLE"])
sockets = boto3.client("apigatewaymanagementapi")
queue = boto3.client("sqs")


def authorize(event: Event, context: Any) -> Event | None:  # noqa: ANN401
    name = event["queryStringParameters"]["name"]
    if name == "nobody":
        raise Exception("Unauthorized")  # noqa: TRY002 - exactly what AWS looks for
    if name == "broken":
        raise ValueError("the doorman fell asleep")
    if name == "nonsense":
        return {"isAuthorized": True}
    arn = event["methodArn"]
    statement = {
        "Action": "execute-api:Invoke",
        "Effect": "Deny" if name == "banned" else "Allow",
        "Resource": arn.replace("$connect", "*/*") if name == "elsewhere" else arn,
    }
    policy = {"Version": "2012-10-17", "Statement": [statement]}
    context = {"name": name, "age": 7, "isGuest": True, "event": json.dumps(event)}
    return {"principalId": f"p-{name}", "policyDocument": policy, "context": context}


def connect(event: Event, context: Any) -> Event | None:  # noqa: ANN401
    query = event["queryStringParameters"]
    match query.get("answer"):
        case "crash":
            raise RuntimeError("connect crashed")
        case "malformed":
            return {"status": 200}
        case str(status) if status.isdecimal():
            return {"statusCode": int(status)}
        case "post":
            try:
                sockets.post_to_connection(
                    ConnectionId=event["requestContext"]["connectionId"], Data=b"too early"
                )
            except sockets.exceptions.GoneException:
                print("gone, as it should be")
                return {"statusCode": 410}
    table.put_item(
        Item={
            "id": event["requestContext"]["connectionId"],
            "name": query["name"],
            "connect": json.dumps(event),
        }
    )
    offered = event["headers"].get("Sec-WebSocket-Protocol")
    if offered is None:
        return OK
    return {"statusCode": 200, "headers": {"Sec-WebSocket-Protocol": offered.split(",")[0]}}


def disconnect(event: Event, context: Any) -> Event | None:  # noqa: ANN401
    table.update_item(
        Key={"id": event["requestContext"]["connectionId"]},
        UpdateExpression="SET gone = :gone",
        ExpressionAttributeValues={":gone": json.dumps(event)},
    )
    return OK


def say(event: Event, context: Any) -> Event | None:  # noqa: ANN401
    message = json.loads(event["body"])
    if message["action"] == "later":
        queue.send_message(
            QueueUrl=os.environ["LATER"],
            MessageBody=json.dumps({**message, "from": event["requestContext"]["connectionId"]}),
            DelaySeconds=message["seconds"],
        )
        return OK
    heard = json.dumps(
        {
            "said": message.get("text"),
            "event": event,
            "time": time.time_ns() // 1_000_000,
            "pid": os.getpid(),
            "left": context.get_remaining_time_in_millis(),
        }
    )
    everybody = [event["requestContext"]["connectionId"]]
    if message.get("to") == "all":
        known = [item for item in table.scan()["Items"] if "connect" in item]
        everybody = [item["id"] for item in known if "gone" not in item]
    for connection in everybody:
        try:
            sockets.post_to_connection(ConnectionId=connection, Data=heard.encode())
        except sockets.exceptions.GoneException:
            table.delete_item(Key={"id": connection})
    return {"statusCode": 200, "body": "nobody hears what is returned"}


def odd(event: Event, context: Any) -> Event | None:  # noqa: ANN401
    match json.loads(event["body"])["do"]:
        case "raise":
            raise KeyError("a secret detail")
        case "sleep":
            time.sleep(30)
        case "die":
            os._exit(3)
        case "extra":
            return {"statusCode": 200, "surprise": True}
        case "refuse":
            return {"statusCode": 500, "body": "well-formed"}
        case "nothing":
            return None
        case "clocks":
            sockets.post_to_connection(
                ConnectionId=event["requestContext"]["connectionId"],
                Data=json.dumps(clocks.told()).encode(),
            )
    return OK


def ring(event: Event, context: Any) -> Event | None:  # noqa: ANN401
    failures = []
    if event.get("source") == "aws.events":
        table.put_item(Item={"id": f"tick-{event['time']}", "name": "tick"})
        return None
    for record in event["Records"]:
        message = json.loads(record["body"])
        rung = {"rang": message.get("text"), "record": record, "time": time.time_ns() // 1_000_000}
        if message.get("from"):
            sockets.post_to_connection(ConnectionId=message["from"], Data=json.dumps(rung).encode())
        if message.get("fail"):
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}


def proclaim(event: Event, context: Any) -> None:  # noqa: ANN401
    for record in event["Records"]:
        told = {"record": record, "time": time.time_ns() // 1_000_000}
        connection = record["dynamodb"]["Keys"]["id"]["S"]
        sockets.post_to_connection(ConnectionId=connection, Data=json.dumps(told).encode())
