"""Lets a test name the facts it checks, `@pytest.mark.fact("A1.message.no-headers")`.

After a run in which every fact had its tests, the results must be those of `docs/conformance.md`;
`--write-conformance` writes that page instead (`make conformance`).
"""

from collections import defaultdict
from typing import Final

import pytest

from tests.conformance.document import PATH, render
from tests.conformance.facts import areas, facts

MARK: Final = "fact"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer to write the page, and to run the tests of some facts."""
    parser.addoption(
        "--write-conformance",
        action="store_true",
        help="write docs/conformance.md from the results",
    )
    parser.addoption("--facts", help="run only the tests of these facts, separated by commas")


def pytest_configure(config: pytest.Config) -> None:
    """Remember what the tests say of the facts."""
    config.pluginmanager.register(Recorder(config), "conformance-recorder")


class Recorder:
    """Holds each fact's tests and their results."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._known = {fact.id for fact in facts()}
        self._named: dict[str, list[str]] = {}
        self._results: dict[str, dict[str, bool]] = defaultdict(dict)
        self._is_short = False

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Note who names which facts. Raises UsageError for a fact that does not exist."""
        for item in items:
            named = [id_ for mark in item.iter_markers(MARK) for id_ in mark.args]
            unknown = sorted(set(named) - self._known)
            if unknown:
                raise pytest.UsageError(f"{item.nodeid} names facts that do not exist: {unknown}")
            self._named[item.nodeid] = named
        if wanted := config.getoption("--facts"):
            self._select(items, set(wanted.split(",")))

    def _select(self, items: list[pytest.Item], wanted: set[str]) -> None:
        if wanted - self._known:
            raise pytest.UsageError(f"facts that do not exist: {sorted(wanted - self._known)}")
        chosen = [item for item in items if wanted & set(self._named[item.nodeid])]
        rest = [item for item in items if item not in chosen]
        items[:] = chosen
        self._config.hook.pytest_deselected(items=rest)

    def pytest_deselected(self) -> None:
        """Only some of the tests are run: their results are not the whole."""
        self._is_short = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a result; a test with several examples passes if all of them do."""
        if report.when != "call" and report.passed:
            return
        name = report.nodeid.split("[")[0]
        for id_ in self._named.get(report.nodeid, []):
            self._results[id_][name] = self._results[id_].get(name, True) and report.passed

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the page, or compare it with the results of a whole run in which all passed."""
        is_default = self._config.args_source is pytest.Config.ArgsSource.TESTPATHS
        is_whole = is_default and not self._is_short and not session.testsfailed
        page = render(areas(), self._results)
        if self._config.getoption("--write-conformance"):
            PATH.write_text(page, encoding="utf-8")
        elif is_whole and PATH.read_text(encoding="utf-8") != page:
            self._say("docs/conformance.md is not what the tests say: run `make conformance`")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _say(self, line: str) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(line, red=True)
