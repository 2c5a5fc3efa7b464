"""An event in a few words."""

import pytest

from infra.local.json_values import Json
from infra.local.lambdas.occasions import occasion

SQS = {"eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:us-east-1:0:local-Later"}
STREAM = {
    "eventSource": "aws:dynamodb",
    "eventSourceARN": "arn:aws:dynamodb:us-east-1:0:table/local-People/stream/2025-01-01T00:00",
}


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"requestContext": {"routeKey": "say", "connectionId": "c="}}, "say of c="),
        (
            {"type": "REQUEST", "requestContext": {"routeKey": "$connect", "connectionId": "c="}},
            "authorization of c=",
        ),
        (
            {"version": "2.0", "requestContext": {"http": {"method": "GET", "path": "/x"}}},
            "GET /x",
        ),
        ({"Records": [SQS, SQS]}, "2 messages of local-Later"),
        ({"Records": [STREAM]}, "1 changes of local-People"),
        ({"Records": [{"eventSource": "other"}]}, "1 records"),
        ({"source": "aws.events"}, "a schedule"),
        ({"mine": 1}, "an event"),
        ([1], "an event"),
        ("text", "an event"),
    ],
)
def test_an_event_is_told_in_a_few_words(event: Json, words: str) -> None:
    assert occasion(event) == words
