"""What a storm prints: what happened how often, and the whole story of whatever went wrong."""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from tests.storm.game import Game
from tests.storm.storm import Storm
from tests.storm.trouble import MANNERS, WEATHER

TOLD_GAMES: Final = 3
MOST_EXCUSED: Final = 0.05
"""A player whose action fails thrice, or who cannot come back, loses on time: rarely."""
TICK_S: Final = 75.0
"""After so long a schedule has run once."""


def summary(told: Storm) -> Iterator[str]:
    """Line by line."""
    yield from _table("what went wrong", told.faults)
    yield from _table("what befell clients, and what they did", told.counts)
    yield from _table("games that ended as planned", told.endings)
    for game in told.excused:
        judgement = told.judgements[game.number]
        yield f"excused: game {game.number} ({game.plan.kind}): {judgement.excuse}"
    yield from _lags(told)
    calls = {name: told.metrics[name] for name in ("connects", "messages", "posts", "deliveries")}
    yield ", ".join(f"{count} {name}" for name, count in calls.items())
    took = sorted(game.took for game in told.games)
    yield f"a game took {took[len(took) // 2]:.1f} s (median), {took[-1]:.1f} s (longest)"
    played = f"{len(told.games)} games in {told.seconds:.0f} s, seed {told.seed}"
    yield f"{played}: {len(told.wrong)} wrong, {len(told.excused)} excused"


def too_many_excused(told: Storm) -> bool:
    """Whether players lost on time, or were removed, more often than faults explain."""
    return len(told.excused) > max(2, MOST_EXCUSED * len(told.games))


def lacking(told: Storm) -> list[str]:
    """What should have happened and did not."""
    faults = [_json_name(name) for name, value in WEATHER.items() if not name.endswith("_ms")]
    if told.seconds < TICK_S:
        faults = [name for name in faults if not name.startswith("tick")]
    faults += ["coldStartMs"]
    wanted = [f"trouble: {manner}" for manner in MANNERS]
    wanted += ["client: sent again", "client: connection lost", "client: error frame"]
    return [name for name in faults if not told.faults.get(name)] + [
        name for name in wanted if not told.counts[name]
    ]


def stories(told: Storm) -> Iterator[str]:
    """The first games that went wrong: plan, both stories, and what is stored."""
    for game in told.wrong[:TOLD_GAMES]:
        yield f"--- game {game.number} of seed {told.seed}: {told.judgements[game.number].wrong}"
        yield f"planned: {game.plan}"
        yield from _story(game)
        yield f"stored: {json.dumps(told.kept.of_table(game.meeting.table), default=str)}"
    for game in told.wrong[TOLD_GAMES:]:
        yield f"--- game {game.number}: {told.judgements[game.number].wrong}"


def _story(game: Game) -> Iterator[str]:
    lines = [(at, player.name, line) for player in game.players for at, line in player.device.story]
    for at, name, line in sorted(lines):
        yield f"{at - game.began:8.3f} {name} {line}"


def _table(title: str, counts: dict[str, int]) -> Iterator[str]:
    yield f"{title}:"
    for name, count in sorted(counts.items()):
        yield f"{count:8}  {name}"


def _lags(told: Storm) -> Iterator[str]:
    undisturbed = [lag.after_s for lag in told.lags if lag.after_s == lag.undisturbed_s]
    yield f"everybody undisturbed showed what the first did: {_spread(undisturbed)}"
    devices = [player.device for game in told.games for player in game.players]
    turns = [ms / 1000 for device in devices for ms in device.turns]
    yield f"a clock was started, and its player heard of it: {_spread(turns)}"


def _spread(seconds: list[float]) -> str:
    found = sorted(seconds)
    shares = {share: found[int(share * (len(found) - 1))] for share in (0.5, 0.9, 0.99, 1.0)}
    return ", ".join(f"{share:.0%} within {lag:.2f} s" for share, lag in shares.items())


def _json_name(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(one.capitalize() for one in rest)


def text(lines: Iterable[str]) -> str:
    """The lines as one text."""
    return "\n".join(lines)
