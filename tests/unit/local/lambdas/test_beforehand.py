"""What is done before workers are forked: each case in a process of its own, as a zygote is."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from infra.local.stack import ROOT

PREPARE = "from infra.local.lambdas.beforehand import prepare\n"


def said_by(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PREPARE + dedent(program), *arguments],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return (done.stdout + done.stderr).strip()


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    (tmp_path / "salad.py").write_text("print('salad is imported')\n")
    return tmp_path


def test_modules_of_a_layer_are_imported_once_and_the_layer_is_not_left_on_the_path(
    layer: Path,
) -> None:
    program = """
        import sys
        before = list(sys.path)
        prepare(["salad", "colorsys"], sys.argv[1:], may_change=False)
        assert "colorsys" in sys.modules
        assert sys.path == before
    """
    assert said_by(program, str(layer)) == "salad is imported"


def test_what_lies_in_a_layer_is_left_to_the_workers_where_files_may_change(layer: Path) -> None:
    program = """
        import sys
        prepare(["salad", "colorsys"], sys.argv[1:], may_change=True)
        assert "colorsys" in sys.modules
        assert "salad" not in sys.modules
    """
    assert not said_by(program, str(layer))


def test_a_module_that_is_missing_is_told_and_hinders_nothing() -> None:
    program = """
        import sys
        prepare(["no_such_module", "colorsys"], [], may_change=False)
        assert "colorsys" in sys.modules
    """
    assert said_by(program) == "not imported beforehand: No module named 'no_such_module'"


def test_no_session_of_the_sdk_reads_again_how_dynamodb_queues_and_connections_are_called() -> None:
    program = """
        import botocore.loaders, botocore.session
        prepare(["botocore.session"], [], may_change=False)
        read = []
        def open_file(_, path, method):
            read.append(path)
        botocore.loaders.JSONFileLoader._load_file = open_file
        for _ in range(2):
            session = botocore.session.Session()
            for service in ("dynamodb", "sqs", "apigatewaymanagementapi"):
                client = session.create_client(
                    service, "eu-north-1", aws_access_key_id="x", aws_secret_access_key="y"
                )
                assert client.meta.service_model.service_name == service
                assert client.meta.region_name == "eu-north-1"
        print([path for path in read if "site-packages" in path])
    """
    assert said_by(program) == "[]"


def test_without_the_sdk_nothing_of_it_is_read() -> None:
    program = """
        import sys
        prepare(["colorsys"], [], may_change=False)
        assert "botocore" not in sys.modules
    """
    assert not said_by(program)
