"""Mappings from streams are read from a template, or refused in one line."""

from pathlib import Path

import pytest

from infra.local.cloudformation.intrinsics import Place, TemplateError
from infra.local.cloudformation.template import load
from infra.local.dynamodb.tables import read_tables
from infra.local.lambdas.functions import read_functions
from infra.local.streams.mapping import StreamSource, read_stream_sources

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.f
      Runtime: python3.13
      CodeUri: code
      Events:
        Plain: {Type: DynamoDB, Properties: {Stream: !GetAtt T.StreamArn, StartingPosition: LATEST}}
  Raw:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      EventSourceArn: !GetAtt T.StreamArn
      FunctionName: !Ref F
      StartingPosition: TRIM_HORIZON
      BatchSize: 10
      MaximumBatchingWindowInSeconds: 5
      MaximumRetryAttempts: 3
      MaximumRecordAgeInSeconds: 60
      BisectBatchOnFunctionError: true
      ParallelizationFactor: 2
      FunctionResponseTypes: [ReportBatchItemFailures]
      DestinationConfig: {OnFailure: {Destination: !GetAtt Dead.Arn}}
      FilterCriteria: {Filters: [{Pattern: '{"eventName": ["INSERT"]}'}]}
      Enabled: true
  Dead: {Type: AWS::SQS::Queue}
  T:
    Type: AWS::DynamoDB::Table
    Properties:
      AttributeDefinitions: [{AttributeName: k, AttributeType: S}]
      KeySchema: [{AttributeName: k, KeyType: HASH}]
      StreamSpecification: {StreamViewType: NEW_IMAGE}
  Dry:
    Type: AWS::DynamoDB::Table
    Properties:
      AttributeDefinitions: [{AttributeName: k, AttributeType: S}]
      KeySchema: [{AttributeName: k, KeyType: HASH}]
"""


def read(folder: Path, text: str = TEMPLATE) -> list[StreamSource]:
    (folder / "code").mkdir(exist_ok=True)
    (folder / "t.yaml").write_text(text)
    template = load(folder / "t.yaml", Place(), "http://127.0.0.1:9", {})
    read_tables(template)
    return sorted(read_stream_sources(template, read_functions(template)), key=lambda one: one.name)


@pytest.mark.fact("C.streams.defaults")
def test_a_mapping_has_the_defaults_of_aws(tmp_path: Path) -> None:
    plain, _ = read(tmp_path)
    assert plain.function.logical_id == "F"
    assert (plain.table, plain.starts_at_latest) == ("local-T", True)
    assert (plain.batch_size, plain.window_s, plain.factor) == (100, 0, 1)
    assert (plain.most_retries, plain.most_age_s) == (None, None)
    assert (plain.bisects, plain.reports_failures, plain.dead_letters) == (False, False, None)


def test_a_mapping_is_read_as_it_is_written(tmp_path: Path) -> None:
    _, raw = read(tmp_path)
    assert (raw.name, raw.starts_at_latest) == ("Raw", False)
    assert (raw.batch_size, raw.window_s, raw.factor) == (10, 5, 2)
    assert (raw.most_retries, raw.most_age_s) == (3, 60)
    assert (raw.bisects, raw.reports_failures) == (True, True)
    assert raw.dead_letters == "arn:aws:sqs:us-east-1:000000000000:local-Dead"
    assert raw.filters.pass_change({"eventName": "INSERT"})
    assert not raw.filters.pass_change({"eventName": "MODIFY"})


@pytest.mark.fact("C.streams.arn")
def test_the_arn_of_a_stream_is_the_tables_with_an_instant(tmp_path: Path) -> None:
    plain, _ = read(tmp_path)
    table = "arn:aws:dynamodb:us-east-1:000000000000:table/local-T"
    assert plain.stream_arn == f"{table}/stream/2025-01-01T00:00:00.000"


@pytest.mark.fact("C.streams.arn")
def test_a_table_without_a_stream_has_no_such_arn(tmp_path: Path) -> None:
    variables = "Environment: {Variables: {STREAM: !GetAtt Dry.StreamArn}}"
    text = TEMPLATE.replace("      Handler: app.f", f"      {variables}\n      Handler: app.f")
    with pytest.raises(TemplateError, match="Dry has no StreamArn"):
        read(tmp_path, text)


@pytest.mark.fact("C.streams.enabled")
@pytest.mark.parametrize("value", ["false", "'false'", "False"])
def test_a_mapping_that_is_switched_off_is_left_out(tmp_path: Path, value: str) -> None:
    sources = read(tmp_path, TEMPLATE.replace("Enabled: true", f"Enabled: {value}"))
    assert [one.name for one in sources] == ["FPlain"]


@pytest.mark.fact("C.streams.bounds")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("BatchSize: 10", "BatchSize: 10001"),
        ("BatchSize: 10", "BatchSize: 0"),
        ("InSeconds: 5", "InSeconds: 301"),
        ("MaximumRetryAttempts: 3", "MaximumRetryAttempts: 10001"),
        ("MaximumRetryAttempts: 3", "MaximumRetryAttempts: -2"),
        ("AgeInSeconds: 60", "AgeInSeconds: 59"),
        ("AgeInSeconds: 60", "AgeInSeconds: 604801"),
        ("Factor: 2", "Factor: 11"),
        ("StartingPosition: TRIM_HORIZON", "StartingPosition: AT_TIMESTAMP"),
        ("StartingPosition: TRIM_HORIZON", "Enabled: true"),
    ],
)
def test_what_is_out_of_bounds_is_refused(tmp_path: Path, old: str, new: str) -> None:
    assert old in TEMPLATE
    with pytest.raises(TemplateError, match="of Raw"):
        read(tmp_path, TEMPLATE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("BatchSize: 10", "TumblingWindowInSeconds: 30", "tumbling window"),
        ("BatchSize: 10", "SourceAccessConfigurations: []", "SourceAccessConfigurations"),
        ("OnFailure: {Destination: !GetAtt Dead.Arn}", "OnSuccess: {}", "beside OnFailure"),
        ("!GetAtt Dead.Arn}", "'arn:aws:sns:us-east-1:1:topic'}", "no queue of the template"),
        ("EventSourceArn: !GetAtt T.StreamArn", "EventSourceArn: !GetAtt Dry.StreamArn", "Dry"),
        ("{StreamViewType: NEW_IMAGE}", "{StreamViewType: ALL}", "StreamViewType of T"),
        ("{StreamViewType: NEW_IMAGE}", "{}", "StreamViewType of T"),
        (
            "EventSourceArn: !GetAtt T.StreamArn",
            "EventSourceArn: arn:aws:dynamodb:us-east-1:000000000000:table/x/stream/y",
            "no table of the template",
        ),
        (
            "EventSourceArn: !GetAtt T.StreamArn",
            "EventSourceArn: !Sub '${Dry.Arn}/stream/x'",
            "it has none",
        ),
    ],
)
def test_what_is_not_served_is_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in TEMPLATE
    with pytest.raises(TemplateError, match=told):
        read(tmp_path, TEMPLATE.replace(old, new))


@pytest.mark.fact("C.streams.readers")
def test_a_third_reader_is_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read(tmp_path)
    assert "readers" not in capsys.readouterr().err
    plain = TEMPLATE[TEMPLATE.index("        Plain:") : TEMPLATE.index("  Raw:")]
    read(tmp_path, TEMPLATE.replace(plain, plain + plain.replace("Plain", "More")))
    assert "the stream of local-T has 3 readers" in capsys.readouterr().err


def test_another_kind_of_source_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinesis = "arn:aws:kinesis:us-east-1:000000000000:stream/s"
    text = TEMPLATE.replace("EventSourceArn: !GetAtt T.StreamArn", f"EventSourceArn: {kinesis}")
    assert [one.name for one in read(tmp_path, text)] == ["FPlain"]
    assert f"not served: Raw, an event source of {kinesis}" in capsys.readouterr().err
