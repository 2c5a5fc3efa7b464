"""Who may do what: each function's own policies, as CloudFormation sees them.

Nothing local enforces these, so the table below is the only place where an excess shows.
"""

from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.contract.expansion import TEMPLATE, Json, Resources, expand, of_type, references

ATTENDING = {"Tables": {"GetItem", "UpdateItem"}, "Connections": {"UpdateItem"}}
ENDING = {"Players": {"UpdateItem"}, "Games": {"PutItem"}}
POSTING = {"WebSocketApi": {"ManageConnections"}}
ARMING = {"TimerQueue": {"SendMessage"}}
PLAYING = {**ATTENDING, **ENDING, **POSTING, **ARMING}

MAY = {
    "Authorize": {"Settings": {"GetItem", "PutItem"}},
    "Connect": {"Connections": {"UpdateItem"}},
    "Disconnect": {**ATTENDING, "Players": {"GetItem"}, **ARMING},
    "Sync": {
        **ATTENDING,
        "Players": {"GetItem"},
        "Settings": {"GetItem", "PutItem"},
        **POSTING,
        **ARMING,
    },
    "Lobby": {
        **PLAYING,
        "Tables": {"GetItem", "PutItem", "UpdateItem"},
        "Codes": {"PutItem"},
        "Players": {"GetItem", "UpdateItem"},
        "Settings": {"GetItem"},
    },
    "Join": {
        **ATTENDING,
        "Codes": {"GetItem", "UpdateItem"},
        "Limits": {"GetItem", "UpdateItem"},
        "Players": {"GetItem", "UpdateItem"},
        "Settings": {"GetItem"},
        **POSTING,
        **ARMING,
    },
    "Move": PLAYING,
    "Act": {
        **PLAYING,
        "Players": {"GetItem", "UpdateItem"},
        "Settings": {"GetItem"},
    },
    "Timeout": PLAYING,
    "Sweep": {**PLAYING, "Tables/index/due": {"Query"}},
}


@pytest.fixture(scope="module")
def resources() -> Resources:
    return expand(TEMPLATE.read_text())


def statements(resources: Resources, function: str) -> Iterator[Json]:
    """Yield the statements we wrote for a function; AWS's own managed policies are not ours."""
    role = resources[f"{function}FunctionRole"]["Properties"]
    documents = [policy["PolicyDocument"] for policy in role.get("Policies", [])]
    documents += [
        resources[attached["Ref"]]["Properties"]["PolicyDocument"]
        for attached in role["ManagedPolicyArns"]
        if "Ref" in attached
    ]
    for document in documents:
        written = document["Statement"]
        yield from written if isinstance(written, list) else [written]


def as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def named(resource: Json) -> str:
    """Return which of our resources an ARN names, with the index if it is one."""
    (name,) = (one for one in references(resource) if not one.startswith("AWS::"))
    text = resource.get("Fn::Sub", "")
    return f"{name}/index/{text.split('/index/')[1]}" if "/index/" in text else name


@pytest.mark.parametrize("function", MAY)
def test_a_function_may_do_its_own_work_and_nothing_else(
    resources: Resources, function: str
) -> None:
    may: defaultdict[str, set[str]] = defaultdict(set)
    for statement in statements(resources, function):
        for resource in as_list(statement["Resource"]):
            may[named(resource)] |= {one.split(":")[1] for one in as_list(statement["Action"])}
    assert may == MAY[function]


def test_every_function_is_spoken_of(resources: Resources) -> None:
    functions = of_type(resources, "AWS::Lambda::Function")
    assert {name.removesuffix("Function") for name in functions} == set(MAY)


def test_aws_adds_only_logs_and_the_reading_of_a_queue(resources: Resources) -> None:
    added = {
        (name, arn.split("/")[-1])
        for name, role in of_type(resources, "AWS::IAM::Role").items()
        for arn in role["ManagedPolicyArns"]
        if isinstance(arn, str)
    }
    queue_readers = {name for name, policy in added if policy == "AWSLambdaSQSQueueExecutionRole"}
    others = {policy for _, policy in added} - {"AWSLambdaSQSQueueExecutionRole"}
    assert queue_readers == {"TimeoutFunctionRole"}
    assert others == {"AWSLambdaBasicExecutionRole"}


def test_no_statement_allows_everything(resources: Resources) -> None:
    for function in MAY:
        for statement in statements(resources, function):
            assert statement["Effect"] == "Allow"
            for action in as_list(statement["Action"]):
                assert "*" not in action
            for resource in as_list(statement["Resource"]):
                assert resource != "*"
                text = str(resource.get("Fn::Sub", ""))
                # A connection's id is made by API Gateway; nothing else may stay open.
                assert "*" not in text or text.endswith(
                    ("/live/POST/@connections/*", "/live/DELETE/@connections/*")
                )
