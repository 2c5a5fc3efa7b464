"""The transform in a process of its own: the same result, kept while nothing changes."""

import asyncio
import json
from pathlib import Path

import pytest

from infra.local.cloudformation.apart import transformed
from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.transform import Source
from infra.local.cloudformation.transform import transformed as transformed_here

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Parameters: {Wait: {Type: Number, Default: 3}}
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties: {Runtime: python3.13, Handler: app.f, CodeUri: code, Timeout: !Ref Wait}
  Anybody:
    Type: AWS::IAM::ManagedPolicy
    Properties: {PolicyDocument: {Version: 2012-10-17, Statement: []}}
"""


@pytest.fixture
def source(tmp_path: Path) -> Source:
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    return Source(tmp_path / "t.yaml", {"Wait": "7"})


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "kept.json"


def mark(kept: Path) -> None:
    """Change what is kept, so that it is known again."""
    content = json.loads(kept.read_text())
    kept.write_text(json.dumps({**content, "document": {"Marked": True}}))


async def test_it_says_what_the_transform_says(source: Source, kept: Path) -> None:
    document = await transformed(source, kept)
    assert document == transformed_here(source)
    code = document["Resources"]["F"]["Properties"]["Code"]
    assert code == {"S3Bucket": "local", "S3Key": "code"}


async def test_a_date_that_is_not_quoted_is_the_text_that_was_meant(
    source: Source, kept: Path
) -> None:
    document = await transformed(source, kept)
    policy = document["Resources"]["Anybody"]["Properties"]["PolicyDocument"]
    assert policy["Version"] == "2012-10-17"


async def test_a_template_that_did_not_change_is_not_transformed_again(
    source: Source, kept: Path
) -> None:
    await transformed(source, kept)
    mark(kept)
    assert await transformed(source, kept) == {"Marked": True}


async def test_a_template_that_changed_is(source: Source, kept: Path) -> None:
    await transformed(source, kept)
    mark(kept)
    source.path.write_text(TEMPLATE.replace("app.f", "app.g"))
    assert (await transformed(source, kept))["Resources"]["F"]["Properties"]["Handler"] == "app.g"


async def test_other_parameters_are_another_template(source: Source, kept: Path) -> None:
    await transformed(source, kept)
    mark(kept)
    assert "Resources" in await transformed(Source(source.path, {"Wait": "8"}), kept)


def test_a_file_that_was_cut_off_is_written_anew(source: Source, kept: Path) -> None:
    kept.write_text('{"key": "')
    document = asyncio.run(transformed(source, kept))
    assert json.loads(kept.read_text())["document"] == document


def test_what_is_wrong_with_a_template_is_told_in_the_same_words(
    source: Source, kept: Path
) -> None:
    with pytest.raises(TemplateError, match="no parameter Other"):
        asyncio.run(transformed(Source(source.path, {"Other": "1"}), kept))
    assert not kept.exists()
