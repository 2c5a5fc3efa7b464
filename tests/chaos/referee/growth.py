"""What was written stays written: `rev`, `v`, moves, and that nothing is done twice."""

from shared.game.table import Status, Table
from shared.service.digest import digest
from tests.chaos.referee.ledger import Written
from tests.chaos.referee.violation import hold

SILENT = {"hello", "sync", "createTable", "joinTable", ""}
"""Messages that may be carried out without being remembered as done."""


def check(w: Written) -> None:
    """The table after is the table before, one step on."""
    before, after = w.before, w.after
    hold(before == w.ledger.table, "nobody's write is lost", based_on=before, stood=w.ledger.table)
    hold(after.rev == before.rev + 1, "rev counts writes")
    is_seen = _visible(before) != _visible(after)
    hold(after.v == before.v + is_seen, "v counts what is seen", v=after.v, before=before.v)
    _check_game(before, after)
    _check_done(w)


def _visible(table: Table) -> tuple[object, ...]:
    """Everything that a viewer is told of; the clock only moves with one of these."""
    seats = [(seat.player_id, seat.is_away_told) for seat in (table.white, table.black)]
    offers = (table.draw_offer, table.rematch_offer)
    return table.game, table.status, table.moves, offers, table.outcome, seats


def _check_game(before: Table, after: Table) -> None:
    if after.game != before.game:
        is_next = before.status is Status.OVER and after.game == before.game + 1
        hold(is_next and not after.moves, "the next game after the end of the last")
        players = (after.black.player_id, after.white.player_id)
        was = (before.white.player_id, before.black.player_id)
        hold(players == was, "colours change in a rematch", players=players, was=was)
        return
    hold(after.moves.startswith(before.moves), "no move is lost")
    hold(after.ply <= before.ply + 1, "one move at a time")
    if before.status is Status.OVER:
        is_same = (after.status, after.outcome) == (before.status, before.outcome)
        hold(is_same and after.moves == before.moves, "an end is final", before=before, after=after)
    hold(
        after.status is not Status.WAITING or before.status is Status.WAITING, "a seat stays taken"
    )


def _check_done(w: Written) -> None:
    """What is remembered as done is this action, for the first time, under this `v`."""
    cause, added = w.process.cause, []
    for player_id, was, now in w.seats():
        for done in now.recent:
            if done in was.recent:
                continue
            added.append(done)
            key = (player_id, done.digest)
            hold(key not in w.ledger.done, "an intention has one effect", cause=cause.key)
            w.ledger.done[key] = (w.now, w.process)
            hold(done.v == w.after.v, "an effect is remembered under its v")
            hold(player_id == cause.player, "only the asker's action is remembered")
            hold(cause.re and done.digest == digest(cause.re), "it is the asker's action")
    hold(len(added) <= 1, "one action at a time")
    is_effect = _visible(w.before) != _visible(w.after) and not _is_arrival(w)
    if is_effect and cause.action not in SILENT:
        hold(added, "what was done is remembered", cause=cause.key)


def _is_arrival(w: Written) -> bool:
    """Play begins, or a player is back: the caller's connection was attached."""
    return w.write.attaches is not None and w.before.game == w.after.game
