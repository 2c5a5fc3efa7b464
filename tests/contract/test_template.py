"""The template, as CloudFormation sees it: routes, authorizer, permissions, state, timers."""

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.contract.expansion import (
    TEMPLATE,
    Json,
    Resources,
    expand,
    of_type,
    references,
)

ROUTES = {
    "$connect": "ConnectFunction",
    "$disconnect": "DisconnectFunction",
    "$default": "ActFunction",
    "hello": "SyncFunction",
    "sync": "SyncFunction",
    "ping": "SyncFunction",
    "createTable": "LobbyFunction",
    "leaveTable": "LobbyFunction",
    "joinTable": "JoinFunction",
    "move": "MoveFunction",
}

KEYS = {
    "Tables": ["table_id", "part"],
    "Codes": ["code"],
    "Connections": ["player_id", "connection_id"],
    "Players": ["player_id"],
    "Limits": ["subject"],
    "Games": ["pk", "sk"],
    "Settings": ["name"],
}


@pytest.fixture(scope="module")
def resources() -> Resources:
    return expand(TEMPLATE.read_text())


def routes(resources: Resources) -> dict[str, Json]:
    """Return every route by its key; two with one key would be one lost."""
    found = of_type(resources, "AWS::ApiGatewayV2::Route").values()
    assert len({route["RouteKey"] for route in found}) == len(found)
    return {route["RouteKey"]: route for route in found}


def called_by(resources: Resources, route: Json) -> str:
    """Return the function behind a route's integration."""
    (integration,) = references(route["Target"])
    (function,) = (
        name
        for name in references(resources[integration]["Properties"]["IntegrationUri"])
        if name in of_type(resources, "AWS::Lambda::Function")
    )
    return function


def test_every_message_reaches_its_function(resources: Resources) -> None:
    found = routes(resources)
    assert {key: called_by(resources, route) for key, route in found.items()} == ROUTES


def test_a_message_is_routed_by_its_action_on_the_stage_live(resources: Resources) -> None:
    (api,) = of_type(resources, "AWS::ApiGatewayV2::Api").values()
    (stage,) = of_type(resources, "AWS::ApiGatewayV2::Stage").values()
    assert api["ProtocolType"] == "WEBSOCKET"
    assert api["RouteSelectionExpression"] == "$request.body.action"
    assert stage["StageName"] == "live"


def assert_connecting_is_authorized(resources: Resources) -> None:
    ((name, authorizer),) = of_type(resources, "AWS::ApiGatewayV2::Authorizer").items()
    connect = routes(resources)["$connect"]
    assert connect["AuthorizationType"] == "CUSTOM"
    assert connect["AuthorizerId"] == {"Ref": name}
    assert authorizer["AuthorizerType"] == "REQUEST"
    assert "AuthorizeFunction" in references(authorizer["AuthorizerUri"])


def test_nobody_connects_past_the_authorizer(resources: Resources) -> None:
    assert_connecting_is_authorized(resources)


def test_a_guest_without_a_token_is_heard(resources: Resources) -> None:
    (authorizer,) = of_type(resources, "AWS::ApiGatewayV2::Authorizer").values()
    assert "IdentitySource" not in authorizer


def test_a_route_called_connect_would_be_noticed() -> None:
    text = TEMPLATE.read_text()
    hello = "        hello: {"
    assert hello in text
    usurped = expand(text.replace(hello, "        connect: {", 1))
    with pytest.raises((AssertionError, KeyError)):
        assert_connecting_is_authorized(usurped)


def test_the_gateway_may_invoke_each_function_it_calls(resources: Resources) -> None:
    allowed = {
        (*references(permission["FunctionName"]), permission["SourceArn"]["Fn::Sub"].split("/")[-1])
        for permission in of_type(resources, "AWS::Lambda::Permission").values()
        if permission["Principal"] == "apigateway.amazonaws.com"
        and isinstance(permission["SourceArn"]["Fn::Sub"], str)
    }
    assert {(function, key) for key, function in ROUTES.items()} <= allowed
    assert "AuthorizeFunction" in {
        name
        for permission in of_type(resources, "AWS::Lambda::Permission").values()
        for name in references(permission["FunctionName"])
    }


def test_every_function_has_both_layers_and_a_folder_of_its_own(resources: Resources) -> None:
    functions = of_type(resources, "AWS::Lambda::Function")
    layers = of_type(resources, "AWS::Lambda::LayerVersion")
    assert {"AuthorizeFunction", "TimeoutFunction", "SweepFunction", *ROUTES.values()} == {
        *functions
    }
    for name, function in functions.items():
        assert function["Handler"] == "app.handler"
        assert set(references(function["Layers"])) == set(layers)
        assert function["Timeout"] == (50 if name == "SweepFunction" else 10)
    text = TEMPLATE.read_text()
    for name in functions:
        assert f"CodeUri: functions/{name.removesuffix('Function').lower()}\n" in text


@pytest.mark.parametrize(("table", "keys"), KEYS.items())
def test_a_dynamodb_table_has_its_key(resources: Resources, table: str, keys: list[str]) -> None:
    found = resources[table]["Properties"]
    types = {one["AttributeName"]: one["AttributeType"] for one in found["AttributeDefinitions"]}
    assert [key["AttributeName"] for key in found["KeySchema"]] == keys
    assert [key["KeyType"] for key in found["KeySchema"]] == ["HASH", "RANGE"][: len(keys)]
    assert {types[key] for key in keys} == {"S"}
    assert found["BillingMode"] == "PAY_PER_REQUEST"


def test_there_is_no_other_dynamodb_table(resources: Resources) -> None:
    assert set(of_type(resources, "AWS::DynamoDB::Table")) == set(KEYS)


def test_rows_that_expire_are_cleaned_and_lasting_ones_are_not(resources: Resources) -> None:
    expiring = {
        name
        for name, table in of_type(resources, "AWS::DynamoDB::Table").items()
        if table.get("TimeToLiveSpecification") == {"AttributeName": "expires_at", "Enabled": True}
    }
    assert expiring == {"Tables", "Codes", "Connections", "Limits"}


def test_what_is_due_is_found_by_shard_and_instant(resources: Resources) -> None:
    tables = resources["Tables"]["Properties"]
    (due,) = tables["GlobalSecondaryIndexes"]
    assert due["IndexName"] == "due"
    assert [key["AttributeName"] for key in due["KeySchema"]] == ["due_shard", "due_at"]
    assert due["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    types = {one["AttributeName"]: one["AttributeType"] for one in tables["AttributeDefinitions"]}
    assert (types["due_shard"], types["due_at"]) == ("S", "N")


def test_the_stream_of_tables_tells_before_and_after(resources: Resources) -> None:
    stream = resources["Tables"]["Properties"]["StreamSpecification"]
    assert stream == {"StreamViewType": "NEW_AND_OLD_IMAGES"}


def test_lasting_data_is_protected_together(resources: Resources) -> None:
    for name in ("Tables", "Players", "Games", "Settings"):
        table = resources[name]["Properties"]
        protected = {"Fn::If": ["DataIsProtected", True, False]}
        assert table["DeletionProtectionEnabled"] == protected
        recovery = table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
        assert recovery == protected


def test_a_timer_that_cannot_be_handled_ends_among_the_dead_letters(resources: Resources) -> None:
    queue = resources["TimerQueue"]["Properties"]
    target = queue["RedrivePolicy"]["deadLetterTargetArn"]
    assert target == {"Fn::GetAtt": ["TimerDeadLetters", "Arn"]}
    assert queue["RedrivePolicy"]["maxReceiveCount"] > 1
    longest = resources["TimeoutFunction"]["Properties"]["Timeout"]
    assert queue["VisibilityTimeout"] >= 6 * longest


def test_timers_arrive_at_once_and_fail_one_by_one(resources: Resources) -> None:
    (source,) = of_type(resources, "AWS::Lambda::EventSourceMapping").values()
    assert source["EventSourceArn"] == {"Fn::GetAtt": ["TimerQueue", "Arn"]}
    assert source["FunctionName"] == {"Ref": "TimeoutFunction"}
    assert source["BatchSize"] == 10
    assert source["MaximumBatchingWindowInSeconds"] == 0
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_the_sweep_runs_every_minute_and_may_be_called(resources: Resources) -> None:
    ((name, rule),) = of_type(resources, "AWS::Events::Rule").items()
    assert rule["ScheduleExpression"] == "rate(1 minute)"
    assert "SweepFunction" in references(rule["Targets"])
    assert any(
        permission["Principal"] == "events.amazonaws.com"
        and {"SweepFunction", name} <= set(references(permission))
        for permission in of_type(resources, "AWS::Lambda::Permission").values()
    )


def test_nothing_in_the_stack_waits_for_itself(resources: Resources) -> None:
    graph = {
        name: {other for other in references(resource) if other in resources}
        for name, resource in resources.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as cycle:
        pytest.fail(f"CloudFormation cannot make: {' -> '.join(cycle.args[1])}")


def test_logs_are_kept_as_long_as_the_operator_says(resources: Resources) -> None:
    assert resources["Logs"]["Properties"] == {"RetentionInDays": {"Ref": "LogRetentionDays"}}
    for function in of_type(resources, "AWS::Lambda::Function").values():
        assert function["LoggingConfig"] == {"LogGroup": {"Ref": "Logs"}}
