"""What makes a queue first in, first out: order within groups, and no message twice.

Knows which messages of a group may be handed out, the five minutes in which a second message with
the same deduplication id is taken for the first, and repeated receives with the same attempt id.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.sources.messages import Message

MEMORY_MS: Final = 5 * 60 * 1000


def in_order(messages: Iterable[Message], now: int) -> Iterator[Message]:
    """Yield what may be received: of each group its oldest ones, while none is in flight."""
    ordered = sorted(messages, key=lambda one: one.sequence or "")
    blocked = {one.group_id for one in ordered if one.is_in_flight(now)}
    for message in ordered:
        if message.group_id in blocked:
            continue
        if message.visible_at > now:
            blocked.add(message.group_id)
        else:
            yield message


@dataclass(frozen=True, slots=True)
class Sent:
    """What a sender was told of a message; `key` is what a second one would share with it."""

    key: str
    at: int
    message_id: str
    sequence: str


@dataclass(slots=True)
class Memory:
    """What was sent within the last five minutes, deleted or not."""

    _sent: dict[str, Sent] = field(default_factory=dict)
    _last_sequence: int = 0

    def known(self, key: str, now: int) -> Sent | None:
        """Return the message that this one repeats."""
        for old in [one.key for one in self._sent.values() if one.at + MEMORY_MS <= now]:
            del self._sent[old]
        return self._sent.get(key)

    def remember(self, sent: Sent) -> None:
        """Take what follows within five minutes with this key for the same message."""
        self._sent[sent.key] = sent

    def next_sequence(self, now: int) -> str:
        """Return twenty digits, more than all before, over restarts too."""
        self._last_sequence = max(self._last_sequence + 1, now * 1_000_000)
        return f"{self._last_sequence:020d}"

    def saved(self) -> list[list[Any]]:
        """Return what is to be known after a restart."""
        return [[one.key, one.at, one.message_id, one.sequence] for one in self._sent.values()]

    def restore(self, saved: Sequence[Sequence[Any]]) -> None:
        """Know again what was saved."""
        for one in saved:
            self.remember(Sent(*one))


@dataclass(slots=True)
class Attempts:
    """Receives that name an attempt: the same attempt again gets the same messages."""

    _made: dict[str, tuple[int, list[Message]]] = field(default_factory=dict)

    def repeated(
        self, attempt_id: str, messages: dict[str, Message], now: int
    ) -> list[Message] | None:
        """Return the messages of an attempt within five minutes, while none was touched since."""
        made_at, handed_out = self._made.get(attempt_id, (0, []))
        if not handed_out or made_at + MEMORY_MS <= now:
            return None
        held = [messages.get(one.id) for one in handed_out]
        untouched = [
            mine
            for mine, theirs in zip(held, handed_out, strict=True)
            if mine is not None
            and mine.receipt == theirs.receipt
            and mine.visible_at == theirs.visible_at
            and mine.is_in_flight(now)
        ]
        return untouched if len(untouched) == len(handed_out) else None

    def made(self, attempt_id: str, now: int, handed_out: list[Message]) -> None:
        """Remember what an attempt got."""
        self._made[attempt_id] = (now, handed_out)
