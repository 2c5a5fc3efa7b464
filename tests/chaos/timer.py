"""Something that will happen, unless it is called off: of a simulated clock or of a real one."""

from typing import Protocol


class Timer(Protocol):
    """Can be called off."""

    def cancel(self) -> object:
        """It will not happen."""
        ...
