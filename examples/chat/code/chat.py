"""A chat: who comes is noted, who goes is forgotten, what is said is told to all who are there."""

import json
import os
from typing import Any

import boto3

Event = dict[str, Any]
DONE = {"statusCode": 200}
people = boto3.resource("dynamodb").Table(os.environ["PEOPLE"])


def come(event: Event, _context: object) -> Event:
    """Note a connection, and the name in `?name=`."""
    name = (event.get("queryStringParameters") or {}).get("name", "somebody")
    people.put_item(Item={"id": event["requestContext"]["connectionId"], "name": name})
    return DONE


def go(event: Event, _context: object) -> Event:
    """Forget a connection."""
    people.delete_item(Key={"id": event["requestContext"]["connectionId"]})
    return DONE


def say(event: Event, _context: object) -> Event:
    """Tell everybody who says what: `{"action": "say", "text": "hello"}`."""
    sockets = boto3.client("apigatewaymanagementapi")
    everybody = {str(one["id"]): one["name"] for one in people.scan(ConsistentRead=True)["Items"]}
    speaker = everybody.get(event["requestContext"]["connectionId"], "somebody")
    told = json.dumps({"from": speaker, "text": json.loads(event["body"])["text"]})
    for connection in everybody:
        try:
            sockets.post_to_connection(ConnectionId=connection, Data=told.encode())
        except sockets.exceptions.GoneException:
            people.delete_item(Key={"id": connection})
    return DONE
