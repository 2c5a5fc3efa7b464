"""Handlers behind HTTP APIs: one tells its event, one returns what it is asked to, one guards."""

import json
import os
import time
from typing import Any

Event = dict[str, Any]


def echo(event: Event, context: Any) -> Event:  # noqa: ANN401
    body = json.dumps({"event": event, "time": time.time_ns() // 1_000_000, "pid": os.getpid()})
    return {"statusCode": 200, "body": body}


def give(event: Event, context: Any) -> Any:  # noqa: ANN401
    asked = json.loads(event.get("body", "{}"))
    match asked.get("do"):
        case "raise":
            raise KeyError("a secret detail")
        case "die":
            os._exit(3)
        case "sleep":
            time.sleep(asked["seconds"])
        case "much":
            return {"statusCode": 200, "body": "x" * asked["bytes"]}
        case "measure":
            return {"statusCode": 200, "body": str(len(asked["text"]))}
    return asked.get("value")


def guard(event: Event, context: Any) -> Any:  # noqa: ANN401
    word = event["headers"].get("authorization", "")
    seen = {"event": json.dumps(event), "age": 7, "isGuest": True, "rooms": ["a", {"b": None}]}
    match word:
        case "Unauthorized":
            raise Exception("Unauthorized")  # noqa: TRY002 - exactly what AWS looks for
        case "broken":
            raise ValueError("the doorman fell asleep")
        case "nonsense":
            return {"isAuthorized": "true"}
        case "silent":
            return {"isAuthorized": True}
    if "/judged/" in event["routeArn"]:
        allowed = event["routeArn"].replace(event["pathParameters"]["id"], "1")
        statement = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": allowed}
        policy = {"Version": "2012-10-17", "Statement": [statement]}
        return {"principalId": word, "policyDocument": policy, "context": seen}
    return {"isAuthorized": word != "banned", "context": seen}
