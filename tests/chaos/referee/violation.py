"""A promise that was broken."""


class Violation(AssertionError):
    """Which promise, and how it was broken."""

    def __init__(self, promise: str, **facts: object) -> None:
        """Keep the promise's name: a smaller history must break the same one."""
        told = ", ".join(f"{name}={fact!r}" for name, fact in facts.items())
        super().__init__(f"{promise}: {told}")
        self.promise = promise


def hold(is_kept: object, promise: str, **facts: object) -> None:
    """Nothing, where the promise is kept. Raises Violation."""
    if not is_kept:
        raise Violation(promise, **facts)
