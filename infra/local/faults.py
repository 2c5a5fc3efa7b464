"""What AWS leaves open, drawn by a seed: what comes late, twice, never, in another order, or fails.

`Faults` holds the switches' values; `Chance` draws by them. Every kind of draw has a generator of
its own, seeded by the seed and its name, and draws whether its switch is on or not: the tenth
queue message is the same one that comes twice, whatever else is switched on.
"""

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from infra.local.call_faults import Called, CallFaults, Mishap, Share, Whole

Order = Literal["kept", "shuffled"]
# What can come late or twice.
Source = Literal["queue", "stream", "tick"]
Item = TypeVar("Item")


class Faults(CallFaults, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The switches. `..._late` and `..._doubled` are shares from 0 to 1, spans are in ms.

    What is late comes up to `..._late_ms` late; a second copy comes at once or that much later.
    """

    messages: Literal["concurrent", "shuffled", "serial"] = "concurrent"
    posts: Order = "kept"
    throttled: Literal["told", "closed"] = "told"
    disconnect_dropped: Share = 0.0
    disconnect_late: Share = 0.0
    disconnect_late_ms: Whole = 5_000
    queue_doubled: Share = 0.0
    queue_late: Share = 0.0
    queue_late_ms: Whole = 5_000
    queue_order: Order = "shuffled"
    stream_doubled: Share = 0.0
    stream_late: Share = 0.0
    stream_late_ms: Whole = 5_000
    stream_order: Order = "kept"
    tick_doubled: Share = 0.0
    tick_late: Share = 0.0
    tick_late_ms: Whole = 5_000
    freeze: bool = True
    cold_start_ms: Whole = 0
    recycle_after: Whole = 0
    killed: Share = 0.0
    killed_ms: Whole = 50


@dataclass(slots=True)
class Chance:
    """Draws what happens, deterministic for a seed and the order of draws of one kind."""

    faults: Faults = field(default_factory=Faults)
    seed: int = 0
    # How often each switch made something happen, by its JSON name.
    counts: Counter[str] = field(default_factory=Counter)
    _generators: dict[str, random.Random] = field(default_factory=dict)

    def restart(self, faults: Faults, seed: int) -> None:
        """From now on draw by `faults`, from the beginning of `seed`."""
        self.faults, self.seed = faults, seed
        self._generators.clear()

    def late_ms(self, source: Source) -> int:
        """Return how much later than it should the next one comes, mostly 0."""
        late_ms = self._drawn_late_ms(source)
        self._count_if(f"{source}Late", late_ms)
        return late_ms

    def again_ms(self, source: Source) -> int | None:
        """Return when the next one comes a second time: 0 at the same time, mostly None."""
        share, most = self._switch(source, "doubled"), self._switch(source, "late_ms")
        by = self._generator(f"{source}-again-ms").random()
        if not self._happens(f"{source}-doubled", share):
            return None
        self.counts[f"{source}Doubled"] += 1
        # Half of the second copies come at the same time as the first.
        return max(0, int((2 * by - 1) * most))

    def disconnect_ms(self) -> int | None:
        """Return how late the next `$disconnect` is run, mostly 0; None: never."""
        late_ms = self._drawn_late_ms("disconnect")
        if self._happens("disconnect-dropped", self.faults.disconnect_dropped):
            self.counts["disconnectDropped"] += 1
            return None
        self._count_if("disconnectLate", late_ms)
        return late_ms

    def mishap(self, called: Called, *, can_conflict: bool = False) -> Mishap | None:
        """Return what becomes of the next call of a service, mostly nothing unusual."""
        kinds = [one for one in Mishap if can_conflict or one is not Mishap.CONFLICT]
        drawn = [
            kind
            for kind in kinds
            if self._happens(f"{called}-{kind}", self._switch(called, kind.value))
        ]
        if not drawn:
            return None
        self.counts[_camel(f"{called}_{drawn[0]}")] += 1
        return drawn[0]

    def call_late_ms(self, called: Called) -> int:
        """Return how long the next call of a service takes longer than it should, mostly 0."""
        late_ms = self._drawn_late_ms(called)
        self._count_if(f"{called}Late", late_ms)
        return late_ms

    def killed_after_ms(self) -> float | None:
        """Return how long after its start the next invocation is to be killed; mostly None."""
        by = self._generator("killed-ms").random()
        if not self._happens("killed", self.faults.killed):
            return None
        return by * self.faults.killed_ms

    def fraction(self, kind: str) -> float:
        """Return where between 0 and 1 something unimportant falls: which item, in what words."""
        return self._generator(kind).random()

    def order(
        self,
        kind: Literal["messages", "posts", "queue", "stream"],
        items: Sequence[Item],
        key: Callable[[Item], Hashable] = id,
    ) -> list[Item]:
        """Return the items in another order if that switch is on, else as they are.

        Items with the same key keep their order among themselves.
        """
        switch, counted = (kind, kind) if kind in ALONE else (f"{kind}_order", f"{kind}Order")
        keys = [key(item) for item in items]
        if getattr(self.faults, switch) != "shuffled" or all(one == keys[0] for one in keys):
            return list(items)
        mixed = list(keys)
        while mixed == keys:
            self._generator(switch).shuffle(mixed)
        self.counts[counted] += 1
        apart = {one: iter([i for i in items if key(i) == one]) for one in set(keys)}
        return [next(apart[one]) for one in mixed]

    def _drawn_late_ms(self, source: str) -> int:
        by = self._generator(f"{source}-late-ms").random()
        is_late = self._happens(f"{source}-late", self._switch(source, "late"))
        most = int(self._switch(source, "late_ms"))
        return 1 + int(by * most) if is_late and most else 0

    def _count_if(self, name: str, happened: int) -> None:
        if happened:
            self.counts[name] += 1

    def _happens(self, kind: str, share: float) -> bool:
        return self._generator(kind).random() < share

    def _switch(self, source: str, what: str) -> Any:  # noqa: ANN401  a share or a span
        return getattr(self.faults, f"{source}_{what}")

    def _generator(self, kind: str) -> random.Random:
        if kind not in self._generators:
            self._generators[kind] = random.Random(f"{self.seed}/{kind}")  # noqa: S311  no secrets
        return self._generators[kind]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(one.capitalize() for one in rest)


# Switches that are an order and nothing else.
ALONE = frozenset({"messages", "posts"})
