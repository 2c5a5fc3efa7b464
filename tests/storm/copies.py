"""A second copy of a move that was made has the answer of the first, not a refusal.

As long as it is surely one of the last two things that its player has done. What is promised beyond
that `tests/chaos` holds to the letter.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from tests.storm.device import Device
from tests.storm.game import Game
from tests.support.client import Message

REMEMBERED: Final = 2
"""So many of a player's last actions are known again when a copy of them comes."""
ASKING: Final = frozenset({"hello", "sync", "ping"})


def refused_copies(game: Game) -> Iterator[str]:
    """Every refusal of a move that its player had just made, by this very message."""
    for player in game.players:
        device = player.device
        for message in device.news:
            move = device.said.get(message.get("re", ""), {})
            if message["event"] == "refused" and move.get("action") == "move":
                yield from _judge(game, device, move, message)


def _judge(game: Game, device: Device, move: Message, refused: Message) -> Iterator[str]:
    turn = (move["game"], move["ply"])
    if turn not in _made(game) or turn in _meant_anew(device):
        return
    view = refused.get("view") or {}
    is_same_game = view.get("game") == move["game"]
    is_known = _since(device, move["id"]) < REMEMBERED
    if is_same_game and is_known and view["ply"] > move["ply"]:
        yield f"{device.name} made move {turn}, and a copy was refused: {refused['code']}"


def _since(device: Device, move_id: str) -> int:
    """How many things the player wanted done after a move."""
    ids = list(device.said)
    later = (device.said[one] for one in ids[ids.index(move_id) + 1 :])
    return sum(said["action"] not in ASKING for said in later)


def _made(game: Game) -> set[tuple[int, int]]:
    """Every turn in which anybody heard of a move."""
    news = [message for player in game.players for message in player.device.news]
    views = [message["view"] for message in news if "view" in message]
    shown = {(view["game"], ply) for view in views for ply in range(view["ply"])}
    return shown | {(one["game"], one["ply"]) for one in news if one["event"] == "moved"}


def _meant_anew(device: Device) -> set[tuple[int, int]]:
    """The turns for which a reloaded page had forgotten its move: which was made, nobody knows."""
    moves = [said for said in device.said.values() if said["action"] == "move"]
    often = Counter((move["game"], move["ply"]) for move in moves)
    return {turn for turn, times in often.items() if times > 1}
