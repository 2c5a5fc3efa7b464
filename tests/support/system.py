"""The product in the local system: the template as it is, the sources as they lie here."""

from pathlib import Path

from infra.local.stack import Stack

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "template.yaml"


def start(state: Path, *, test_clock: bool = True, arguments: tuple[str, ...] = ()) -> Stack:
    """A running system of its own."""
    return Stack.start(
        template=TEMPLATE, state=state, test_clock=test_clock, layers=[ROOT], arguments=arguments
    )
