"""One MiniStack per session, and DynamoDB tables as template.yaml declares them.

Tables get a prefix of their own per test module. TTL stays off: instants in tests are not the
machine's, and the product never waits for DynamoDB to delete anything.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any
from uuid import uuid4

import botocore.session
import pytest
import yaml

from shared.store.models import TableNames, bind

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
START_S = 30
REGION = "eu-north-1"
_SCHEMA = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes", "BillingMode")


@contextmanager
def running_ministack() -> Iterator[str]:
    """A MiniStack with nothing in it, in memory only; yields its endpoint."""
    port = _free_port()
    endpoint = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "ministack"],
            env=_environment(port),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_healthy(endpoint, process)
            yield endpoint
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=START_S)


def make_tables(endpoint: str) -> TableNames:
    """The tables of the template, empty, under names that nobody else has."""
    prefix = f"test-{uuid4().hex[:8]}"
    client: Any = botocore.session.get_session().create_client(
        "dynamodb",
        region_name=REGION,
        endpoint_url=endpoint,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    for logical_id, schema in declared_tables().items():
        client.create_table(TableName=f"{prefix}-{logical_id}", **schema)
    names = {field.name: f"{prefix}-{field.name.capitalize()}" for field in fields(TableNames)}
    return TableNames(**names)


def declared_tables() -> dict[str, dict[str, Any]]:
    """What CreateTable needs of each DynamoDB table in the template, by logical id."""
    template = yaml.load(TEMPLATE.read_text(), Loader=_Loader)  # noqa: S506 - a SafeLoader that lets !Ref pass
    return {
        logical_id: {key: value for key, value in found["Properties"].items() if key in _SCHEMA}
        for logical_id, found in template["Resources"].items()
        if found["Type"] == "AWS::DynamoDB::Table"
    }


@pytest.fixture(scope="session")
def ministack() -> Iterator[str]:
    """The endpoint of a running MiniStack, which botocore finds by itself."""
    with running_ministack() as endpoint, pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ENDPOINT_URL_DYNAMODB", endpoint)
        environment.setenv("AWS_ACCESS_KEY_ID", "test")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "test")
        environment.setenv("AWS_DEFAULT_REGION", REGION)
        environment.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield endpoint


@pytest.fixture(scope="module")
def table_names(ministack: str) -> TableNames:
    """This module's own empty tables, to which the store is bound."""
    names = make_tables(ministack)
    bind(names)
    return names


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short functions, which are passed over."""


def _pass_over(_: yaml.SafeLoader, __: str, node: yaml.Node) -> object:
    return node.value


_Loader.add_multi_constructor("!", _pass_over)


def _environment(port: int) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "SERVICES": "dynamodb",
        "LOG_LEVEL": "WARNING",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_healthy(endpoint: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"MiniStack ended by itself: {process.returncode}")
        try:
            with urllib.request.urlopen(f"{endpoint}/_ministack/health", timeout=1):  # noqa: S310 - our own address
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.05)  # another program's start is waited for; nothing tells us of it
    raise RuntimeError("MiniStack does not answer")
