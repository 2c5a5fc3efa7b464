"""Tables, queues and event sources are read from a template."""

from pathlib import Path

import pytest

from infra.local.cloudformation.intrinsics import Place, TemplateError
from infra.local.cloudformation.template import Template, load
from infra.local.dynamodb.tables import read_tables
from infra.local.lambdas.functions import read_functions
from infra.local.sources.queue_sources import read_queue_sources
from infra.local.sources.queue_specs import read_queues

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Parameters: {Delay: {Type: Number, Default: 7}}
Conditions: {Never: !Equals [a, b]}
Globals:
  Function:
    Runtime: python3.13
    CodeUri: code
    Environment: {Variables: {QUEUE: !Ref Work, FLAG: true}}
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.f
      Events:
        Work:
          Type: SQS
          Properties:
            Queue: !GetAtt Work.Arn
            BatchSize: 3
            FunctionResponseTypes: [ReportBatchItemFailures]
            ScalingConfig: {MaximumConcurrency: 2}
  Work:
    Type: AWS::SQS::Queue
    Properties:
      DelaySeconds: !Ref Delay
      VisibilityTimeout: 60
      RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 4}
  Dead: {Type: AWS::SQS::Queue, Properties: {QueueName: graveyard, MessageRetentionPeriod: 60}}
  Gone: {Type: AWS::SQS::Queue, Condition: Never}
  T:
    Type: AWS::DynamoDB::Table
    Properties:
      AttributeDefinitions: [{AttributeName: k, AttributeType: S}]
      KeySchema: [{AttributeName: k, KeyType: HASH}]
      BillingMode: PAY_PER_REQUEST
      StreamSpecification: {StreamViewType: NEW_IMAGE}
      TimeToLiveSpecification: {AttributeName: e, Enabled: true}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
      GlobalSecondaryIndexes:
        - IndexName: i
          KeySchema: [{AttributeName: k, KeyType: HASH}]
          Projection: {ProjectionType: ALL}
          ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 1}
"""


def read(folder: Path, text: str = TEMPLATE, **parameters: str) -> Template:
    (folder / "code").mkdir(exist_ok=True)
    (folder / "t.yaml").write_text(text)
    return load(folder / "t.yaml", Place(), "http://127.0.0.1:9", parameters)


def read_all(template: Template) -> None:
    read_functions(template)
    read_queues(template)


def test_a_table_is_read_as_create_table_takes_it(tmp_path: Path) -> None:
    (table,) = read_tables(read(tmp_path))
    assert (table.name, table.expires_by) == ("local-T", "e")
    assert table.arguments["StreamSpecification"] == {
        "StreamEnabled": True,
        "StreamViewType": "NEW_IMAGE",
    }
    (index,) = table.arguments["GlobalSecondaryIndexes"]
    assert set(index) == {"IndexName", "KeySchema", "Projection"}


def test_queues_have_their_names_delays_and_dead_letters(tmp_path: Path) -> None:
    work, dead = sorted(read_queues(read(tmp_path, Delay="9")), key=lambda queue: queue.name)[::-1]
    assert (work.name, work.delay_s, work.visibility_s) == ("local-Work", 9, 60)
    assert (work.most_receives, work.dead_letters) == (4, dead.arn)
    assert (dead.name, dead.retention_s) == ("graveyard", 60)
    assert work.url == "http://127.0.0.1:9/_sqs/000000000000/local-Work"


def test_a_function_has_its_own_environment_as_text(tmp_path: Path) -> None:
    (function,) = read_functions(read(tmp_path))
    assert function.variables == {
        "QUEUE": "http://127.0.0.1:9/_sqs/000000000000/local-Work",
        "FLAG": "true",
    }


def test_a_source_names_its_function(tmp_path: Path) -> None:
    template = read(tmp_path)
    functions = read_functions(template)
    (source,) = read_queue_sources(template, functions)
    assert (source.batch_size, source.reports_failures, source.concurrency) == (3, True, 2)
    assert [source.function] == [*functions]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("CodeUri: code", "CodeUri: nowhere", "missing"),
        ("CodeUri: code", "CodeUri: s3://bucket/key", "local folders"),
        ("Runtime: python3.13", "Runtime: nodejs22.x", "nodejs"),
    ],
)
def test_what_cannot_be_served_is_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(TemplateError, match=told):
        read_all(read(tmp_path, TEMPLATE.replace(old, new)))


def test_an_unknown_parameter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="no parameter Other"):
        read(tmp_path, Other="1")
