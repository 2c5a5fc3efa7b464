"""Facts A2: which model a message must meet, and which models can be read."""

from pathlib import Path

import pytest

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.websocket.models import Validation
from tests.unit.local.websocket.templates import plain, read

TEA = """
  Tea:
    Type: AWS::ApiGatewayV2::Model
    Properties: {ApiId: !Ref Api, Name: TeaModel, ContentType: application/json, Schema: %s}
"""
CUPS = "{type: object, required: [cups], properties: {cups: {type: integer}}}"
DRAFT_4 = (
    "{$schema: 'http://json-schema.org/draft-04/schema#', type: object, "
    "properties: {cups: {minimum: 1, exclusiveMinimum: true}}}"
)


def validation(
    folder: Path, schema: str = CUPS, models: str = "{tea: TeaModel}", by: str = "$request.body.is"
) -> Validation:
    asked = f"ModelSelectionExpression: {by}, RequestModels: {models}"
    (api,) = read(folder, plain(TEA % schema, One=asked)).values()
    found = api.routes["one"].validation
    assert found is not None
    return found


@pytest.mark.fact("A2.model.selected")
def test_a_message_must_meet_the_model_that_it_names(tmp_path: Path) -> None:
    found = validation(tmp_path)
    assert found.accepts('{"is":"tea","cups":1}')
    assert not found.accepts('{"is":"tea"}')
    assert not found.accepts('{"is":"tea","cups":"two"}')


@pytest.mark.fact("A2.model.no-match")
def test_without_a_model_for_it_a_message_is_refused(tmp_path: Path) -> None:
    found = validation(tmp_path)
    assert not found.accepts('{"is":"coffee","cups":1}')
    assert not found.accepts('{"cups":1}')


@pytest.mark.fact("A2.model.default")
@pytest.mark.parametrize("by", ["$request.body.is", "$default", r'"\\$default"'])
def test_the_default_model_is_for_all_other_messages(tmp_path: Path, by: str) -> None:
    found = validation(tmp_path, models="{$default: TeaModel}", by=by)
    assert found.accepts('{"is":"coffee","cups":1}')
    assert not found.accepts('{"is":"coffee"}')


@pytest.mark.parametrize("text", ["", "no JSON", "NaN", "[" * 10_000])
def test_what_is_not_json_meets_no_model(tmp_path: Path, text: str) -> None:
    assert not validation(tmp_path, "{}", "{$default: TeaModel}").accepts(text)


def test_half_a_character_is_refused_and_breaks_nothing(tmp_path: Path) -> None:
    found = validation(tmp_path, "{properties: {cups: {additionalProperties: false}}}")
    assert not found.accepts(r'{"is":"tea","cups":{"\ud800":1}}')


@pytest.mark.fact("A2.model.draft-4")
def test_a_schema_is_of_draft_4(tmp_path: Path) -> None:
    found = validation(tmp_path, DRAFT_4)
    assert found.accepts('{"is":"tea","cups":2}')
    assert not found.accepts('{"is":"tea","cups":1}')  # a boolean exclusiveMinimum: draft 4 only


@pytest.mark.fact("A2.model.needs-expression")
def test_models_without_an_expression_are_not_asked(tmp_path: Path) -> None:
    (api,) = read(tmp_path, plain(TEA % CUPS, One="RequestModels: {tea: TeaModel}")).values()
    assert api.routes["one"].validation is None


@pytest.mark.parametrize("schema", ['\'{"type": "object"}\'', "{type: object}"])
def test_a_schema_may_be_written_as_text(tmp_path: Path, schema: str) -> None:
    assert validation(tmp_path, schema).accepts('{"is":"tea"}')


def test_a_model_may_be_named_by_ref(tmp_path: Path) -> None:
    assert validation(tmp_path, models="{tea: !Ref Tea}").accepts('{"is":"tea","cups":1}')


@pytest.mark.parametrize(
    ("schema", "models", "reason"),
    [
        ("{type: objekt}", "{tea: TeaModel}", "no JSON schema"),
        ("'{'", "{tea: TeaModel}", "no JSON schema"),
        ("7", "{tea: TeaModel}", "has no schema"),
        ("{$ref: 'https://example.org/tea'}", "{tea: TeaModel}", "refers to https://example.org"),
        ("{items: [{$ref: 'file:///etc/passwd'}]}", "{tea: TeaModel}", "refers to file:"),
        (CUPS, "{tea: Coffee}", "no model Coffee"),
    ],
)
def test_what_cannot_be_validated_is_refused(
    tmp_path: Path, schema: str, models: str, reason: str
) -> None:
    with pytest.raises(TemplateError, match=reason):
        validation(tmp_path, schema, models)


def test_a_schema_may_refer_to_its_own_definitions(tmp_path: Path) -> None:
    schema = "{definitions: {n: {type: integer}}, properties: {cups: {$ref: '#/definitions/n'}}}"
    assert not validation(tmp_path, schema).accepts('{"is":"tea","cups":"two"}')
