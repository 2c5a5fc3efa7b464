"""What one viewer may see of a table: a whitelist, built field by field, for each viewer anew."""

from shared.game.clock import flag_at
from shared.game.due import removal_at
from shared.game.events import Event, Happened
from shared.game.outcome import Outcome
from shared.game.rulesets import RULESETS
from shared.game.rulesets.ruleset import Scene
from shared.game.side import Side
from shared.game.table import Offer, Policy, Status, Table
from shared.protocol.outbound import (
    ClockView,
    Happening,
    Moved,
    OfferView,
    OutcomeView,
    SeatsView,
    SeatView,
    View,
)


def view(table: Table, viewer: Side | None, now: int, policy: Policy) -> View:
    """The whole table as `viewer` (None: a spectator) may see it at `now`."""
    ruleset = RULESETS[table.ruleset]
    scene = _scene(table, viewer)
    return View(
        table=table.table_id,
        v=table.v,
        game=table.game,
        ruleset=table.ruleset,
        status=table.status.value,
        time_control=table.time_control,
        seats=_seats(table, policy),
        ply=table.ply,
        fen=scene.fen,
        check=scene.in_check,
        moves=ruleset.ucis(table.moves),
        legal=scene.legal,
        clock=_clock(table),
        you=viewer.value if viewer else None,
        draw_offer=_offer(table.draw_offer),
        rematch_offer=_offer(table.rematch_offer),
        outcome=_outcome(table.outcome),
        now=now,
    )


def moved(table: Table, event: Event, viewer: Side | None, now: int) -> Moved:
    """A move as `viewer` may see it, on the table after it."""
    if event.by is None or event.uci is None or event.san is None:
        raise ValueError(event)
    scene = _scene(table, viewer)
    return Moved(
        table=table.table_id,
        v=table.v,
        game=table.game,
        ply=table.ply - 1,
        by=event.by.value,
        uci=event.uci,
        san=event.san,
        fen=scene.fen,
        check=scene.in_check,
        legal=scene.legal,
        clock=_clock(table),
        draw_offer=_offer(table.draw_offer),
        outcome=_outcome(table.outcome),
        now=now,
    )


def happening(
    table: Table, event: Event, viewer: Side | None, now: int, policy: Policy
) -> Happening | Moved:
    """The event as `viewer` may see it, on the table after it."""
    if event.name is Happened.MOVED:
        return moved(table, event, viewer, now)
    return Happening(
        table=table.table_id,
        v=table.v,
        event=event.name.value,
        by=event.by.value if event.by else None,
        view=view(table, viewer, now, policy),
    )


def _scene(table: Table, viewer: Side | None) -> Scene:
    """The ruleset's scene; nobody has legal moves where no move can be played."""
    is_playing = table.status is Status.LIVE
    scene = RULESETS[table.ruleset].scene(table.position, viewer)
    return scene if is_playing else Scene(scene.fen, scene.in_check, ())


def _clock(table: Table) -> ClockView:
    is_live = table.status is Status.LIVE
    return ClockView(
        white=table.clock.white_ms if table.began_at else table.time_control.total_ms,
        black=table.clock.black_ms if table.began_at else table.time_control.total_ms,
        turn_at=table.clock.turn_at,
        flag_at=flag_at(table.clock, table.time_control, table.ply) if is_live else None,
        runs=table.on_move.value if is_live and table.time_control.has_clock else None,
    )


def _seats(table: Table, policy: Policy) -> SeatsView:
    return SeatsView(white=_seat(table, Side.WHITE, policy), black=_seat(table, Side.BLACK, policy))


def _seat(table: Table, side: Side, policy: Policy) -> SeatView:
    seat = table.seat(side)
    return SeatView(
        taken=seat.player_id is not None,
        away=seat.is_away_told,
        removal_at=removal_at(table, side, policy) if seat.is_away_told else None,
    )


def _offer(offer: Offer | None) -> OfferView | None:
    return OfferView(by=offer.side.value, v=offer.v) if offer else None


def _outcome(outcome: Outcome | None) -> OutcomeView | None:
    if outcome is None:
        return None
    return OutcomeView(
        termination=outcome.termination.value,
        result=outcome.result,
        at=outcome.at,
        winner=outcome.winner.value if outcome.winner else None,
    )
