"""The version gate at the entry actions: an outdated app is told politely, and let go.

With a live game it may first finish that game (DESIGN section 5).
"""

from shared.game.table import Status
from shared.protocol.errors import AppOutdated
from shared.service.world import Caller, World


def admit(world: World, caller: Caller) -> None:
    """Nothing, where the app is new enough. Raises AppOutdated."""
    needed = world.versions.newer_needed(caller.version, caller.platform)
    if needed is not None:
        raise AppOutdated(minimum=needed.version, store=needed.store)


def admit_back(world: World, caller: Caller) -> None:
    """As `admit`, but a player in a live game may come back to it. Raises AppOutdated."""
    try:
        admit(world, caller)
    except AppOutdated:
        if not plays(world, caller):
            raise


def plays(world: World, caller: Caller) -> bool:
    """Whether the caller holds a seat in a live game."""
    player = world.players.get(caller.player_id)
    if player is None or player.seat is None:
        return False
    table = world.tables.get(player.seat)
    return table is not None and table.status is Status.LIVE
