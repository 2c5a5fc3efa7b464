"""The budget as a table of docs/budget.md: read from it, and a measured line in its form."""

from pathlib import Path

from tests.support.aws_calls import Spent

BUDGET = Path(__file__).parents[3] / "docs" / "budget.md"
COLUMNS = ("What", "DynamoDB calls", "read units", "write units", "SQS messages", "posts", "closes")
_ELSEWHERE = {"SendMessage", "PostToConnection", "DeleteConnection"}


def budget() -> dict[str, str]:
    """Each line of the table, by what it is about."""
    lines = [line for line in BUDGET.read_text().splitlines() if line.startswith("| ")]
    return {line.split("|")[1].strip(): line for line in lines[1:]}


def line_of(what: str, spent: Spent) -> str:
    """A measurement as a line of the table."""
    calls = spent.calls
    dynamodb = ", ".join(
        f"{name} x {number}" if number > 1 else name
        for name, number in sorted(calls.items())
        if name not in _ELSEWHERE
    )
    cells = (
        what,
        dynamodb or "none",
        f"{spent.read_units:g}",
        f"{spent.write_units:g}",
        str(calls["SendMessage"]),
        str(calls["PostToConnection"]),
        str(calls["DeleteConnection"]),
    )
    return f"| {' | '.join(cells)} |"
