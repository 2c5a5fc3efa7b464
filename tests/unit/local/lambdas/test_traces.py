"""An exception is told so that its reader sees first what it was, then where in his own code."""

import json
from pathlib import Path

import pytest

from infra.local.lambdas.traces import trace

HERE = Path(__file__)


def traced(source: str, folder: Path) -> str:
    """Return the trace of running this source as a module in the folder."""
    path = folder / "app.py"
    path.write_text(source)
    try:
        exec(compile(source, str(path), "exec"), {})  # noqa: S102 - as an import does
    except Exception as error:  # noqa: BLE001 - any exception is told
        return trace(error, str(folder))
    raise AssertionError("it raised nothing")


def test_what_comes_first_then_where_with_paths_that_can_be_followed(tmp_path: Path) -> None:
    told = traced("def f():\n    return 1 / 0\n\nf()\n", tmp_path).splitlines()
    assert told[0] == "ZeroDivisionError: division by zero"
    assert told[-4:] == [
        '  File "app.py", line 4, in <module>',
        "    f()",
        '  File "app.py", line 2, in f',
        "    return 1 / 0",
    ]


def test_of_libraries_it_is_told_where_they_passed_without_their_code(tmp_path: Path) -> None:
    told = traced("import json\njson.loads('{')\n", tmp_path).splitlines()
    library = [line for line in told if str(Path(json.__file__).parent) in line]
    assert len(library) >= 2
    assert all(line.startswith('  File "') for line in library)
    assert told[-1].startswith('  File "')


def test_frames_of_the_runtime_are_left_out(tmp_path: Path) -> None:
    from infra.local.lambdas.handler import load_handler  # noqa: PLC0415 - what is left out

    with pytest.raises(ModuleNotFoundError) as raised:
        load_handler("no_such_module.handler")
    told = trace(raised.value, str(tmp_path))
    assert told.splitlines()[0] == "ModuleNotFoundError: No module named 'no_such_module'"
    assert "infra/local" not in told
    assert "importlib" not in told


def test_a_syntax_error_names_file_and_line_and_shows_it(tmp_path: Path) -> None:
    told = traced("x = 1\ndef f(:\n    pass\n", tmp_path).splitlines()
    assert told[0].startswith("SyntaxError: ")
    assert '  File "app.py", line 2' in told
    assert "    def f(:" in told


def test_causes_follow_and_notes_stay_with_their_exception(tmp_path: Path) -> None:
    source = """
try:
    {}["x"]
except KeyError as error:
    wrong = ValueError("first line\\nsecond line")
    wrong.add_note("a note")
    raise wrong from error
"""
    told = traced(source, tmp_path).splitlines()
    assert told[:2] == ["ValueError: first line", "second line"]
    assert "a note" in told[: told.index("caused by:")]
    assert told[told.index("caused by:") + 1] == "KeyError: 'x'"


def test_what_was_being_handled_is_told_unless_it_is_suppressed(tmp_path: Path) -> None:
    source = "try:\n    {}['x']\nexcept KeyError:\n    raise ValueError('no')%s\n"
    assert "while this was handled:\nKeyError: 'x'" in traced(source % "", tmp_path)
    assert "KeyError" not in traced(source % " from None", tmp_path)


def test_of_a_group_each_one_is_told(tmp_path: Path) -> None:
    source = "raise ExceptionGroup('two', [ValueError('a'), KeyError('b')])\n"
    told = traced(source, tmp_path)
    assert "together with others:\nValueError: a" in told
    assert "together with others:\nKeyError: 'b'" in told


def test_a_function_that_calls_itself_without_end_does_not_fill_the_screen(tmp_path: Path) -> None:
    told = traced("def f():\n    f()\n\nf()\n", tmp_path).splitlines()
    assert told[0].startswith("RecursionError")
    assert len(told) < 15
    assert "more of the same]" in told[-1]
