"""Facts A3: which API keys open a stage, and what a client must bring."""

from pathlib import Path

import pytest

from infra.local.cloudformation.intrinsics import TemplateError
from tests.unit.local.websocket.templates import plain, read

KEY = """
  Key:
    Type: AWS::ApiGateway::ApiKey
    Properties: {Enabled: true, Value: sesame}
  Plan:
    Type: AWS::ApiGateway::UsagePlan
    Properties: {ApiStages: [{ApiId: !Ref Api, Stage: !Ref Stage}]}
  PlanKey:
    Type: AWS::ApiGateway::UsagePlanKey
    Properties: {KeyId: !Ref Key, KeyType: API_KEY, UsagePlanId: !Ref Plan}
"""


def keys(folder: Path, text: str) -> frozenset[str]:
    (api,) = read(folder, plain(text)).values()
    return api.keys


@pytest.mark.fact("A3.api-key.plan")
@pytest.mark.parametrize(
    ("written", "instead", "expected"),
    [
        ("", "", {"sesame"}),
        ("Enabled: true", "Enabled: false", set()),
        ("Enabled: true, ", "", set()),  # CloudFormation's default
        ("Stage: !Ref Stage", "Stage: another", set()),
        ("ApiId: !Ref Api", "ApiId: another", set()),
        ("UsagePlanId: !Ref Plan", "UsagePlanId: another", set()),
        ("KeyId: !Ref Key", "KeyId: another", set()),
        ("KeyId: !Ref Key", "KeyId: !GetAtt Key.APIKeyId", {"sesame"}),
    ],
)
def test_a_key_opens_a_stage_when_it_is_enabled_and_in_its_plan(
    tmp_path: Path, written: str, instead: str, expected: set[str]
) -> None:
    assert keys(tmp_path, KEY.replace(written, instead) if written else KEY) == expected


def test_a_key_without_a_value_gets_one_that_stays(tmp_path: Path) -> None:
    (first,) = keys(tmp_path, KEY.replace(", Value: sesame", ""))
    (second,) = keys(tmp_path, KEY.replace(", Value: sesame", ""))
    assert first == second
    assert len(first) >= 20


@pytest.mark.fact("A3.api-key.header", "A3.api-key.authorizer")
def test_the_key_comes_from_the_header_or_from_the_authorizer(tmp_path: Path) -> None:
    (usual,) = read(tmp_path, plain()).values()
    assert usual.key_source == "$request.header.x-api-key"
    other = "ApiKeySelectionExpression: $context.authorizer.usageIdentifierKey"
    (api,) = read(tmp_path, plain(Api=other)).values()
    assert api.key_source == "$context.authorizer.usageIdentifierKey"
    with pytest.raises(TemplateError, match="ApiKeySelectionExpression"):
        read(tmp_path, plain(Api="ApiKeySelectionExpression: $request.querystring.key"))


@pytest.mark.fact("A3.parameters")
def test_required_parameters_are_read_in_either_form(tmp_path: Path) -> None:
    header, query = "route.request.header.X-A", "route.request.querystring.b"
    given = f"RequestParameters: {{{header}: {{Required: true}}, {query}: true, {query}2: false}}"
    (api,) = read(tmp_path, plain(Connect=given)).values()
    assert api.routes["$connect"].required == (header, query)


@pytest.mark.parametrize(
    ("route", "name"), [("One", "route.request.header.X"), ("Connect", "route.request.body.x")]
)
def test_parameters_of_other_routes_or_places_are_refused(
    tmp_path: Path, route: str, name: str
) -> None:
    with pytest.raises(TemplateError, match=r"[Pp]arameter"):
        read(tmp_path, plain(**{route: f"RequestParameters: {{{name}: true}}"}))


def test_a_key_for_messages_is_refused_where_no_client_could_bring_it(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"ApiKeyRequired on one"):
        read(tmp_path, plain(One="ApiKeyRequired: true"))
