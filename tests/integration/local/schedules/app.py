"""Functions that nobody waits for: they tell a queue what they saw, fail, or ask one another."""

import json
import os
import time
from typing import Any

import boto3

sqs = boto3.client("sqs")
functions = boto3.client("lambda")


def look(event: Any, context: Any) -> None:  # noqa: ANN401
    told = {"event": event, "request": context.aws_request_id, "time": time.time_ns() // 1_000_000}
    sqs.send_message(QueueUrl=os.environ["SEEN"], MessageBody=json.dumps(told))


def fail(event: Any, context: Any) -> str:  # noqa: ANN401
    look(event, context)
    if event.get("works"):
        return "well done"
    raise ValueError("it broke")


def ask(event: Any, context: Any) -> Any:  # noqa: ANN401
    """Go on with one step fewer, or ask another function and say what it answered."""
    look(event, context)
    if "steps" in event:
        if event["steps"]:
            following = json.dumps({"steps": event["steps"] - 1})
            functions.invoke(
                FunctionName=context.invoked_function_arn, InvocationType="Event", Payload=following
            )
        return None
    answer = functions.invoke(FunctionName=event["name"], Payload=json.dumps(event["event"]))
    return {"error": answer.get("FunctionError"), "payload": json.load(answer["Payload"])}


def sleep(event: Any, context: Any) -> None:  # noqa: ANN401
    time.sleep(30)
