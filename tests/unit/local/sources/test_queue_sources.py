"""Queues and their mappings in a template: what is read, and what is refused as AWS refuses it."""

from pathlib import Path

import pytest

from infra.local.cloudformation.intrinsics import Place, TemplateError
from infra.local.cloudformation.template import Template, load
from infra.local.lambdas.functions import read_functions
from infra.local.sources.queue_sources import QueueSource, read_queue_sources
from infra.local.sources.queue_specs import QueueSpec, read_queues

TEMPLATE = """
Resources:
  Work: {{Type: AWS::SQS::Queue, Properties: {{{queue}}}}}
  Dead: {{Type: AWS::SQS::Queue, Properties: {{{dead}}}}}
  Bell:
    Type: AWS::Lambda::Function
    Properties: {{Runtime: python3.13, Handler: app.ring, Code: ., Timeout: 30}}
  Due:
    Type: AWS::Lambda::EventSourceMapping
    Properties: {{EventSourceArn: !GetAtt Work.Arn, FunctionName: !Ref Bell, {mapping}}}
"""
DEAD = "RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 3}"
FIFO = "FifoQueue: true"


def read(tmp_path: Path, **parts: str) -> Template:
    path = tmp_path / "template.yaml"
    path.write_text(TEMPLATE.format(**{"queue": "", "dead": "", "mapping": "", **parts}))
    return load(path, Place(), "http://127.0.0.1:1", {})


def queues(tmp_path: Path, **parts: str) -> list[QueueSpec]:
    return read_queues(read(tmp_path, **parts))


def source(tmp_path: Path, **parts: str) -> QueueSource:
    template = read(tmp_path, **parts)
    (found,) = read_queue_sources(template, read_functions(template))
    return found


@pytest.mark.fact(
    "C.sqs.ranges", "C.sqs.message.size", "C.sqs.retention", "C.sqs.visibility", "C.sqs.redrive"
)
def test_a_queue_is_as_sqs_makes_it_unless_the_template_says_otherwise(tmp_path: Path) -> None:
    work, dead = queues(tmp_path, queue=DEAD)
    assert (work.delay_s, work.visibility_s, work.retention_s) == (0, 30, 345_600)
    assert (work.wait_s, work.most_bytes, work.is_fifo) == (0, 1_048_576, False)
    assert (work.dead_letters, work.most_receives) == (dead.arn, 3)
    said, _ = queues(
        tmp_path,
        queue="DelaySeconds: 900, VisibilityTimeout: '43200', MessageRetentionPeriod: 60, "
        "ReceiveMessageWaitTimeSeconds: 20, MaximumMessageSize: 1024",
    )
    assert (said.delay_s, said.visibility_s, said.retention_s) == (900, 43_200, 60)
    assert (said.wait_s, said.most_bytes) == (20, 1024)


@pytest.mark.fact("C.sqs.ranges")
@pytest.mark.parametrize(
    "setting",
    [
        "DelaySeconds: 901",
        "DelaySeconds: -1",
        "VisibilityTimeout: 43201",
        "MessageRetentionPeriod: 59",
        "MessageRetentionPeriod: 1209601",
        "ReceiveMessageWaitTimeSeconds: 21",
        "MaximumMessageSize: 1023",
        "MaximumMessageSize: 1048577",
        "DelaySeconds: soon",
        "RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 0}",
        "RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 1001}",
        "RedrivePolicy: {maxReceiveCount: 3}",
        "RedrivePolicy: often",
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(tmp_path: Path, setting: str) -> None:
    with pytest.raises(TemplateError, match=r"^Work: .*(Seconds|Timeout|Period|Size|Count|Policy)"):
        queues(tmp_path, queue=setting)


def test_dead_letters_go_nowhere_else_than_to_a_queue_of_the_template(tmp_path: Path) -> None:
    elsewhere = "RedrivePolicy: {deadLetterTargetArn: arn:aws:sqs:x:1:else, maxReceiveCount: 3}"
    with pytest.raises(TemplateError, match="arn:aws:sqs:x:1:else, no queue of the template"):
        queues(tmp_path, queue=elsewhere)


@pytest.mark.fact("C.sqs.redrive.same-kind")
@pytest.mark.parametrize(("queue", "dead"), [(FIFO, ""), ("", FIFO)])
def test_dead_letters_go_to_a_queue_of_the_same_kind(tmp_path: Path, queue: str, dead: str) -> None:
    with pytest.raises(TemplateError, match="dead-letter queue of a FIFO queue is a FIFO queue"):
        queues(tmp_path, queue=", ".join(filter(None, [DEAD, queue])), dead=dead)
    queues(tmp_path, queue=f"{DEAD}, {FIFO}", dead=FIFO)


@pytest.mark.fact("C.sqs.redrive.allowed")
@pytest.mark.parametrize(
    ("policy", "is_taken"),
    [
        ("{redrivePermission: allowAll}", True),
        ("{redrivePermission: denyAll}", False),
        ("{redrivePermission: byQueue, sourceQueueArns: [!GetAtt Work.Arn]}", True),
        ("{redrivePermission: byQueue, sourceQueueArns: [arn:aws:sqs:x:1:else]}", False),
    ],
)
def test_a_queue_says_whose_dead_letters_it_takes(
    tmp_path: Path, policy: str, *, is_taken: bool
) -> None:
    parts = {"queue": DEAD, "dead": f"RedriveAllowPolicy: {policy}"}
    if is_taken:
        assert len(queues(tmp_path, **parts)) == 2
    else:
        with pytest.raises(TemplateError, match="does not take dead letters of local-Work"):
            queues(tmp_path, **parts)


@pytest.mark.fact("C.sqs.fifo.name")
def test_only_fifo_queues_end_in_fifo_and_all_of_them_do(tmp_path: Path) -> None:
    work, _ = queues(tmp_path, queue=f"{FIFO}, ContentBasedDeduplication: true")
    assert (work.name, work.deduplicates_by_content) == ("local-Work.fifo", True)
    assert work.arn.endswith(":local-Work.fifo")
    assert work.url.endswith("/local-Work.fifo")
    for wrong in (f"{FIFO}, QueueName: work", "QueueName: work.fifo"):
        with pytest.raises(TemplateError, match=r"the name of a .* queue .* in .fifo"):
            queues(tmp_path, queue=wrong)


def test_settings_of_fifo_queues_are_refused_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="ContentBasedDeduplication is for FIFO queues only"):
        queues(tmp_path, queue="ContentBasedDeduplication: true")


@pytest.mark.fact("C.sqs.source.batch", "C.sqs.source.concurrency", "C.sqs.source.window")
def test_a_mapping_is_as_lambda_makes_it_unless_the_template_says_otherwise(
    tmp_path: Path,
) -> None:
    usual = source(tmp_path)
    assert (usual.batch_size, usual.window_s, usual.concurrency) == (10, 0, 5)
    assert not usual.reports_failures
    said = source(
        tmp_path,
        mapping="BatchSize: 10000, MaximumBatchingWindowInSeconds: 300, "
        "ScalingConfig: {MaximumConcurrency: 2}, FunctionResponseTypes: [ReportBatchItemFailures]",
    )
    assert (said.batch_size, said.window_s, said.concurrency) == (10_000, 300, 2)
    assert said.reports_failures


@pytest.mark.fact(
    "C.sqs.source.batch",
    "C.sqs.source.batch-over-ten",
    "C.sqs.source.window",
    "C.sqs.source.concurrency",
)
@pytest.mark.parametrize(
    ("mapping", "told"),
    [
        ("BatchSize: 0", "BatchSize is a whole number from 1 to 10000"),
        ("BatchSize: 10001, MaximumBatchingWindowInSeconds: 1", "BatchSize is a whole number"),
        ("BatchSize: 11", "a BatchSize over 10 needs a MaximumBatchingWindowInSeconds"),
        ("MaximumBatchingWindowInSeconds: 301", "MaximumBatchingWindowInSeconds is"),
        ("ScalingConfig: {MaximumConcurrency: 1}", "MaximumConcurrency is"),
        ("ScalingConfig: {MaximumConcurrency: 1001}", "MaximumConcurrency is"),
        (
            "FunctionResponseTypes: [ReportAll]",
            "FunctionResponseTypes may hold Report",
        ),
        ("BisectBatchOnFunctionError: true", "BisectBatchOnFunctionError is not served"),
        ("ProvisionedPollerConfig: {MinimumPollers: 2}", "ProvisionedPollerConfig is not served"),
    ],
)
def test_a_mapping_that_lambda_refuses_is_refused(tmp_path: Path, mapping: str, told: str) -> None:
    with pytest.raises(TemplateError, match=f"^Due: {told}"):
        source(tmp_path, mapping=mapping)


@pytest.mark.fact("C.sqs.source.visibility")
def test_a_function_may_not_run_longer_than_its_messages_are_hidden(tmp_path: Path) -> None:
    with pytest.raises(TemplateError) as refused:
        source(tmp_path, queue="VisibilityTimeout: 29")
    assert str(refused.value) == (
        "Due: Queue visibility timeout: 29 seconds is less than Function timeout: 30 seconds"
    )


@pytest.mark.fact("C.sqs.source.fifo")
def test_a_fifo_queue_has_batches_of_ten_and_no_window(tmp_path: Path) -> None:
    assert source(tmp_path, queue=FIFO).batch_size == 10
    with pytest.raises(TemplateError, match="Batching window is not supported for FIFO queues"):
        source(tmp_path, queue=FIFO, mapping="MaximumBatchingWindowInSeconds: 1")
    with pytest.raises(TemplateError, match="BatchSize"):
        source(tmp_path, queue=FIFO, mapping="BatchSize: 11")


def test_a_disabled_mapping_delivers_nothing_but_is_read(tmp_path: Path) -> None:
    template = read(tmp_path, mapping="Enabled: false")
    assert read_queue_sources(template, read_functions(template)) == []
    wrong = read(tmp_path, mapping="Enabled: false, BatchSize: 11")
    with pytest.raises(TemplateError):
        read_queue_sources(wrong, read_functions(wrong))


def test_a_queue_that_is_not_in_the_template_is_no_event_source(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    read(tmp_path)
    path.write_text(path.read_text().replace("!GetAtt Work.Arn", "arn:aws:sqs:x:1:else"))
    template = load(path, Place(), "http://127.0.0.1:1", {})
    with pytest.raises(TemplateError, match="arn:aws:sqs:x:1:else is no queue of the template"):
        read_queue_sources(template, read_functions(template))
