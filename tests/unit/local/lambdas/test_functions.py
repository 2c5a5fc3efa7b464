"""Functions of a template: code in it, code beside it, and the layers that need no building."""

from pathlib import Path

import pytest

from infra.local.cloudformation.intrinsics import Place, TemplateError
from infra.local.cloudformation.template import Template, load
from infra.local.lambdas.functions import Function, read_functions
from infra.local.lambdas.redirected import led

TEMPLATE = """
Resources:
  Ready: {Type: AWS::Lambda::LayerVersion, Properties: {Content: ready}}
  Made: {Type: AWS::Lambda::LayerVersion, Properties: {Content: made}}
  Beside:
    Type: AWS::Lambda::Function
    Properties:
      Runtime: python3.13
      Handler: app.handler
      Code: code
      Layers: [!Ref Made, !Ref Ready, arn:aws:lambda:us-east-1:1:layer:Insights:38]
  Inside:
    Type: AWS::Lambda::Function
    Properties:
      Runtime: python3.13
      Handler: index.handler
      Code: {ZipFile: "def handler(event, context): return 7"}
"""


def read(folder: Path) -> Template:
    for path in ("code", "ready/python/lib/python3.13/site-packages", "made"):
        (folder / path).mkdir(parents=True)
    (folder / "made/requirements.txt").write_text("x")
    (folder / "template.yaml").write_text(TEMPLATE)
    return load(folder / "template.yaml", Place(), "http://127.0.0.1:1", {})


@pytest.fixture
def functions(tmp_path: Path) -> dict[str, Function]:
    return dict(read_functions(read(tmp_path), tmp_path / "state").by_id)


def test_code_in_the_template_is_a_module_called_index(functions: dict[str, Function]) -> None:
    code = functions["Inside"].code
    assert [one.name for one in code.iterdir()] == ["index.py"]
    assert (code / "index.py").read_text() == "def handler(event, context): return 7"


def test_code_in_the_template_needs_a_folder_to_lie_in(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="local folders only"):
        read_functions(read(tmp_path))


def test_what_a_layer_has_in_python_is_on_the_path_and_the_rest_is_not_built(
    functions: dict[str, Function], tmp_path: Path
) -> None:
    ready = tmp_path / "ready/python"
    assert functions["Beside"].layered.folders == (ready, ready / "lib/python3.13/site-packages")
    assert functions["Beside"].layered.unbuilt == ("local-Made", "Insights")
    assert functions["Inside"].layered.folders == ()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("https://abc.execute-api.us-east-1.amazonaws.com/dev/@connections/x%3D", "/dev/"),
        ("https://localhost:8080/other/@connections/x%3D", "/other/"),
        ("http://127.0.0.1:8080/live/@connections/x%3D", "/live/"),
        ("https://sockets.example.org/@connections/x%3D", "/live/"),
        ("https://sockets.example.org/%40connections/x%3D", "/live/"),
    ],
)
def test_whatever_address_a_handler_gave_the_request_comes_here(given: str, meant: str) -> None:
    told = led(given, "http://127.0.0.1:8080/live")
    assert told.replace("%40", "@") == f"http://127.0.0.1:8080{meant}@connections/x%3D"
