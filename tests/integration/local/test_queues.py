"""Queues of a template as event sources, with real processes and a real AWS client."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.stack import Stack, StackError
from tests.integration.local.conftest import aws_client

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Globals:
  Function:
    Runtime: python3.13
    Timeout: 5
    CodeUri: code
    Environment: {Variables: {HEARD: !Ref Heard}}
Resources:
  Line: {Type: AWS::SQS::Queue, Properties: {FifoQueue: true, ContentBasedDeduplication: true}}
  Work: {Type: AWS::SQS::Queue}
  Inline:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.note
      Events:
        Line:
          Type: SQS
          Properties:
            Queue: !GetAtt Line.Arn
            BatchSize: 2
            FunctionResponseTypes: [ReportBatchItemFailures]
  Gather:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.note
      Events:
        Work:
          Type: SQS
          Properties: {Queue: !GetAtt Work.Arn, BatchSize: 100, MaximumBatchingWindowInSeconds: 20}
  Heard: {Type: AWS::Serverless::SimpleTable}
"""
HANDLER = """
import os
import time

import boto3

heard = boto3.resource("dynamodb").Table(os.environ["HEARD"])
NOTE = "SET batches = list_append(if_not_exists(batches, :none), :one)"


def note(event, context):
    bodies = [record["body"] for record in event["Records"]]
    heard.update_item(
        Key={"id": context.function_name},
        UpdateExpression=NOTE,
        ExpressionAttributeValues={":none": [], ":one": [str(int(time.time())), *bodies]},
    )
    failed = [one["messageId"] for one in event["Records"] if one["body"] == "poison"]
    return {"batchItemFailures": [{"itemIdentifier": id_} for id_ in failed]}
"""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("queues")
    (folder / "code").mkdir()
    (folder / "code/app.py").write_text(HANDLER)
    (folder / "template.yaml").write_text(TEMPLATE)
    with Stack.start(
        template=folder / "template.yaml",
        state=folder / "state",
        test_clock=True,
        arguments=["--fault", "queue-order=kept"],
    ) as running:
        yield running


def heard(stack: Stack, function: str) -> list[str]:
    """Return what a function noted: for each batch its second, and its messages."""
    item: Any = aws_client(stack, "dynamodb").get_item(
        TableName=stack.table_name("Heard"), Key={"id": {"S": f"local-{function}"}}
    )
    return [one["S"] for one in item.get("Item", {}).get("batches", {"L": []})["L"]]


@pytest.mark.fact("C.sqs.fifo.name", "C.sqs.fifo.order", "C.sqs.source.fifo.in-order")
def test_a_group_is_handled_in_order_and_held_up_by_a_failure(stack: Stack) -> None:
    url, sqs = stack.queue_url("Line"), aws_client(stack, "sqs")
    assert url.endswith("/local-Line.fifo")
    start = stack.now() // 1000
    entries = [
        {"Id": body, "MessageBody": body, "MessageGroupId": "a"}
        for body in ("a1", "poison", "a2", "a3")
    ]
    sqs.send_message_batch(QueueUrl=url, Entries=entries)
    stack.settle()
    first = heard(stack, "Inline")
    assert [one for one in first if not one.isdecimal()] == ["a1", "poison"]
    stack.advance(30_000)
    again = heard(stack, "Inline")[len(first) :]
    assert again[:3] == [str(start + 30), "poison", "a2"]


@pytest.mark.fact("C.sqs.source.window", "C.sqs.source.batch-over-ten")
def test_a_window_gathers_what_comes_until_it_closes(stack: Stack) -> None:
    url, sqs = stack.queue_url("Work"), aws_client(stack, "sqs")
    start = stack.now() // 1000
    sqs.send_message(QueueUrl=url, MessageBody="0")
    stack.advance(10_000)
    entries = [{"Id": str(n), "MessageBody": str(n)} for n in range(1, 11)]
    sqs.send_message_batch(QueueUrl=url, Entries=entries)
    stack.advance(9_999)
    assert heard(stack, "Gather") == []
    stack.advance(1)
    assert heard(stack, "Gather") == [str(start + 20), *(str(n) for n in range(11))]


@pytest.mark.fact("C.sqs.source.visibility")
def test_what_lambda_would_refuse_is_told_in_one_line_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "template.yaml").write_text(TEMPLATE.replace("Timeout: 5", "Timeout: 31"))
    with pytest.raises(StackError) as refused:
        Stack.start(template=tmp_path / "template.yaml", state=tmp_path / "state")
    told = str(refused.value)
    assert told.endswith("visibility timeout: 30 seconds is less than Function timeout: 31 seconds")
    assert json.dumps(told).count("\\n") == 0
