"""What nobody plays here is named, if functions may call it."""

from pathlib import Path

from infra.local.cloudformation.intrinsics import Place
from infra.local.cloudformation.left_out import left_out
from infra.local.cloudformation.template import load

PLAYED = """
Resources:
  Queue: {Type: AWS::SQS::Queue}
  Policy: {Type: AWS::SQS::QueuePolicy}
  Role: {Type: AWS::IAM::Role}
  Logs: {Type: AWS::Logs::LogGroup}
"""


def line(folder: Path, template: str) -> str | None:
    (folder / "template.yaml").write_text(template)
    return left_out(load(folder / "template.yaml", Place(), "http://127.0.0.1:1", {}))


def test_what_is_played_or_never_called_is_not_mentioned(tmp_path: Path) -> None:
    assert line(tmp_path, PLAYED) is None


def test_what_functions_may_call_is_named_in_one_line(tmp_path: Path) -> None:
    more = "  Files: {Type: AWS::S3::Bucket}\n  Topic: {Type: AWS::SNS::Topic}\n"
    told = line(tmp_path, PLAYED + more)
    assert told == "not served: Files (AWS::S3::Bucket), Topic (AWS::SNS::Topic)"
