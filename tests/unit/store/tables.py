"""Any table at all, for property tests: far more than the rules would ever make."""

from hypothesis import strategies as st

from shared.game.clock import Clock, TimeControl
from shared.game.ids import ConnectionId, Fen, PlayerId, TableId
from shared.game.outcome import Outcome, Termination
from shared.game.side import Side
from shared.game.table import Done, Offer, Seat, Status, Table

_counts = st.integers(0, 2**40)
_instants = st.integers(0, 10**13)
_maybe_instant = st.none() | _instants
_spans = st.none() | st.integers(0, 10**9)
_words = st.text(st.characters(codec="utf-8"), max_size=20)
_bytes = st.binary(max_size=40)

SEAT_FIELDS = dict[str, st.SearchStrategy[object]](
    player_id=st.none() | _words.map(PlayerId),
    connections=st.lists(_words.map(ConnectionId), max_size=5).map(tuple),
    heard_at=_instants,
    probed_at=_maybe_instant,
    away_since=_maybe_instant,
    is_away_told=st.booleans(),
    recent=st.lists(st.builds(Done, st.binary(max_size=200), _counts), max_size=3).map(tuple),
    declined_ply=st.none() | _counts,
)
_seats = st.builds(Seat, **SEAT_FIELDS)
_offers = st.none() | st.builds(Offer, st.sampled_from(Side), _counts)
_outcomes = st.none() | st.builds(
    Outcome, st.none() | st.sampled_from(Side), st.sampled_from(Termination), _instants
)

FIELDS = dict[str, st.SearchStrategy[object]](
    table_id=_words.map(TableId),
    ruleset=_words,
    time_control=st.builds(TimeControl, _spans, _spans, _counts),
    base_fen=_words.map(Fen),
    since=_instants,
    white=_seats,
    black=_seats,
    rev=_counts,
    v=_counts,
    game=_counts,
    status=st.sampled_from(Status),
    is_public=st.booleans(),
    base_ply=_counts,
    moves=_bytes,
    thinks=_bytes,
    clock=st.builds(Clock, _spans, _spans, _instants, _counts),
    began_at=_instants,
    draw_offer=_offers,
    rematch_offer=_offers,
    outcome=_outcomes,
    timer_at=_maybe_instant,
    secret=_bytes,
)
tables = st.builds(Table, **FIELDS)
