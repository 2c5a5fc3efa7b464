"""Deliberate bugs: each takes away one safeguard, and the histories must notice each of them."""

from typing import Final

from tests.support.mutants import Mistake

DECIDE: Final = "shared/game/decide.py"
DUE: Final = "shared/game/due.py"
MOVE: Final = "shared/game/actions/move.py"
PRESENCE: Final = "shared/game/presence.py"
SETTLE: Final = "shared/game/settle.py"
ACT: Final = "shared/service/act.py"
ATTACH: Final = "shared/service/attach.py"
COMMIT: Final = "shared/service/commit.py"
PUBLISH: Final = "shared/service/publish.py"
WAKE: Final = "shared/service/wake.py"

BUGS: Final = (
    Mistake(
        "no condition on rev",
        COMMIT,
        "    world.tables.write(_write(before, armed, now, along))\n",
        "    stored = world.tables.get(before.table_id) or before\n"
        "    armed = replace(armed, rev=stored.rev + 1)\n"
        "    world.tables.write(_write(replace(before, rev=stored.rev), armed, now, along))\n",
    ),
    Mistake(
        "no window of duplicates",
        DECIDE,
        "    if done_v is not None:\n",
        "    if done_v is not None and done_v < 0:\n",
    ),
    Mistake(
        "only one seat released at an ending",
        COMMIT,
        "releases=players if ends else (),",
        "releases=players[:1] if ends else (),",
    ),
    Mistake(
        "no look at the tombstone before a connection is seated",
        ATTACH,
        "        written = commit(world, table, change.table, now, Along(attaches=caller.key))\n",
        "        written = commit(world, table, change.table, now)\n",
    ),
    Mistake(
        "no patience with claims",
        "shared/game/actions/claim_flag.py",
        "        if asked.now < flag + asked.policy.patience_ms:\n",
        "        if asked.now < flag:\n",
    ),
    Mistake(
        "no patience with timers",
        DUE,
        "self.at + policy.patience_ms if self.matter in VERDICTS else self.at",
        "self.at",
    ),
    Mistake(
        "an early timer message is not sent again",
        WAKE,
        "        world.timers.send(table_id, timer_at, now)\n        return\n",
        "        return\n",
    ),
    Mistake(
        "a stray timer message goes on",
        WAKE,
        "    if table is None or table.timer_at != timer_at:\n        return\n",
        "    if table is None or table.timer_at is None:\n        return\n"
        "    if table.timer_at != timer_at:\n"
        "        world.timers.send(table_id, table.timer_at, world.now())\n        return\n",
    ),
    Mistake(
        "the next timer is not armed once one has fired",
        WAKE,
        "        _rearm(world, table, now)\n        return lambda: False\n",
        "        return lambda: False\n",
    ),
    Mistake(
        "nothing due earlier arms anew",
        COMMIT,
        "    if armed_at is not None and wake >= armed_at - REARM_MARGIN_MS:\n",
        "    if armed_at is not None:\n",
    ),
    Mistake(
        "charged until the write",
        MOVE,
        "side, received_at=asked.received_at, now=asked.now\n",
        "side, received_at=asked.now, now=asked.now\n",
    ),
    Mistake(
        "a move after the flag counts",
        DECIDE,
        "    if flag is not None and asked.received_at >= flag:\n",
        "    if flag is not None and asked.now < 0:\n",
    ),
    Mistake(
        "who is gone is not forgotten",
        PUBLISH,
        "    if gone and table is not None:\n",
        "    if gone and table is None:\n",
    ),
    Mistake(
        "the wrong connection is forgotten",
        PRESENCE,
        "    kept = tuple(known for known in seat.connections if known not in gone)\n",
        "    kept = seat.connections[len(set(gone) & set(seat.connections)) :]\n",
    ),
    Mistake(
        "the evicted are not told",
        PUBLISH,
        "    letters |= dict.fromkeys(change.evicted, replaced)\n",
        "",
    ),
    Mistake(
        "a finish is not recorded",
        COMMIT,
        "        finished=_record(after) if ends else None,\n",
        "        finished=None,\n",
    ),
    Mistake(
        "a game can end twice",
        DECIDE,
        "    if table.status in action.allowed_in:\n",
        "    if table.status in action.allowed_in or table.status is Status.OVER:\n",
    ),
    Mistake(
        "an answered probe is not cleared",
        ATTACH,
        "    return commit(world, table, "
        "table.with_seat(side, hear(table.seat(side), now)), now)\n",
        "    return table.with_seat(side, hear(table.seat(side), now))\n",
    ),
    Mistake(
        "nobody hears that the other is away",
        DUE,
        "        elif not seat.is_away_told:\n",
        "        elif seat.is_away_told:\n",
    ),
    Mistake(
        "nothing is swept",
        WAKE,
        "    table_ids = world.tables.due(world.now())\n",
        "    table_ids = world.tables.due(0)\n",
    ),
    Mistake(
        "a copy heals only who sent it",
        PUBLISH,
        "    if v == table.v and world.may_heal(table.table_id, now):\n",
        "    if v < 0 and world.may_heal(table.table_id, now):\n",
    ),
    Mistake(
        "one's own write is taken for somebody else's",
        ACT,
        "            if isinstance(decided, Repeat):\n",
        "            if isinstance(decided, Repeat) and self.has_tried:\n"
        "                raise OpponentLeft\n"
        "            if isinstance(decided, Repeat):\n",
    ),
    Mistake(
        "one attempt only",
        "shared/service/retry.py",
        "ATTEMPTS = 5\n",
        "ATTEMPTS = 1\n",
    ),
    Mistake(
        "a verdict is dated when it is written",
        SETTLE,
        "Termination.TIME_FORFEIT, due.at, now)",
        "Termination.TIME_FORFEIT, now, now)",
    ),
    Mistake(
        "removed while both are away",
        DUE,
        "    return None if table.seat(side.other).is_away else "
        "seat.away_since + policy.absence_ms\n",
        "    return seat.away_since + policy.absence_ms\n",
    ),
    Mistake(
        "the countdown goes on from before the other returned",
        PRESENCE,
        "    return table.with_seat(side, replace(seat, away_since=now))\n",
        "    return table\n",
    ),
    Mistake(
        "a rematch claims no seat",
        COMMIT,
        "        claims=players if resumes else along.claims,\n",
        "        claims=along.claims,\n",
    ),
    Mistake(
        "the asker is told like everybody else",
        PUBLISH,
        "        letters[caller.connection_id] = _encode(message, caller.re)\n    return letters\n",
        "        letters[caller.connection_id] = _encode(message, None)\n    return letters\n",
    ),
    Mistake(
        "a turn may start before its move was received",
        ACT,
        "max(self.world.now(), self.caller.received_at, table.clock.turn_at)",
        "self.world.now()",
    ),
    Mistake(
        "a view shows everybody the legal moves",
        "shared/protocol/views.py",
        "scene(table.position, viewer)\n    return scene",
        "scene(table.position, table.on_move)\n    return scene",
    ),
    Mistake(
        "what time has brought about is told to nobody",
        WAKE,
        "        publish(world, written, now)\n        return True\n",
        "        return True\n",
    ),
    Mistake(
        "sync says unchanged whatever one holds",
        "shared/service/sync.py",
        "    if said.v == table.v:\n",
        "    if said.v <= table.v:\n",
    ),
    Mistake(
        "play begins with one player there",
        PRESENCE,
        "    return all(seat.player_id and seat.connections",
        "    return any(seat.connections",
    ),
    Mistake(
        "who was away at the end stays away",
        "shared/game/verdicts.py",
        "        white=replace(table.white, probed_at=None, is_away_told=False),\n",
        "        white=replace(table.white, probed_at=None),\n",
    ),
    Mistake(
        "who is found gone at an old table stays at the present one",
        "shared/service/forget.py",
        "    for known in (table_id, *sorted(sat_at - {table_id})):\n",
        "    for known in (table_id,):\n",
    ),
    Mistake(
        "an asker who is gone stays where he was told of no table",
        PUBLISH,
        "caller.connection_id in gone and not _sits_at(table, caller):\n",
        "caller.connection_id in gone and table is not None:\n",
    ),
    Mistake(
        "a move is too late when its function is",
        DECIDE,
        "    if flag is not None and asked.received_at >= flag:\n",
        "    if flag is not None and asked.now >= flag:\n",
    ),
    Mistake(
        "a player is told that he is not on move when his flag has fallen",
        DECIDE,
        "        raise TooLate(flagAt=flag)\n",
        "        raise NotLive\n",
    ),
    Mistake(
        "hello seats nobody",
        "shared/service/hello.py",
        "    change = attach_caller(world, table, caller, now)\n",
        "    change = Change(table)\n",
    ),
    Mistake(
        "hello forgets the table one last sat at",
        "shared/service/hello.py",
        "    table_id: TableId | None = player.seat or last\n",
        "    table_id: TableId | None = player.seat or (last if player.seat else None)\n",
    ),
)
