"""Everything a player can be refused, one class per reason, each with a stable code.

A refusal is an answer, not a fault: it is counted, sent with its code and parameters, and
changes nothing. `shows_table` says that the answer carries the asker's current view, because
he asked out of a picture that is no longer true.
"""

from typing import ClassVar


class Refusal(Exception):
    """The client asked for something it may not have."""

    code: ClassVar[str]
    shows_table: ClassVar[bool] = False

    def __init__(self, **parameters: str | int) -> None:
        """Keep the parameters that the client needs to say what went wrong."""
        super().__init__(self.code, parameters)
        self.parameters = parameters


class NotSeated(Refusal):
    """The asker holds no seat at this table."""

    code = "notSeated"


class NotLive(Refusal):
    """Play has not begun at this table."""

    code = "notLive"
    shows_table = True


class GameOver(Refusal):
    """The game has ended."""

    code = "gameOver"
    shows_table = True


class GameNotOver(Refusal):
    """A rematch was asked for while the game is not over."""

    code = "gameNotOver"
    shows_table = True


class TooLate(Refusal):
    """The asker's flag had fallen (``flagAt``: epoch ms) when the action was received."""

    code = "tooLate"
    shows_table = True


class TooEarly(Refusal):
    """No flag has fallen, or not long enough ago to be judged (``dueAt``: epoch ms)."""

    code = "tooEarly"
    shows_table = True


class StalePly(Refusal):
    """The action belongs to another game or ply; the table is at ``game`` and ``ply``."""

    code = "stalePly"
    shows_table = True


class NotYourTurn(Refusal):
    """The other side is on move."""

    code = "notYourTurn"


class IllegalMove(Refusal):
    """The rules forbid the move; ``reason`` says why.

    ``malformed``, ``illegal``, ``inCheck``, ``promotionMissing``, ``promotionWrong``.
    """

    code = "illegalMove"


class TooManyPlies(Refusal):
    """An abort was asked for after both sides had moved."""

    code = "abortTooLate"


class TooFewPlies(Refusal):
    """A draw was offered before both sides had moved."""

    code = "drawTooSoon"


class OfferStands(Refusal):
    """The asker's own offer is still open."""

    code = "offerStands"


class OfferDeclined(Refusal):
    """The last offer was declined; the next may come after ``moves`` more moves of one's own."""

    code = "offerDeclined"


class NoSuchOffer(Refusal):
    """There is no open offer to answer, or it is not the one that was answered."""

    code = "noSuchOffer"
    shows_table = True


class OpponentLeft(Refusal):
    """The other side has sat down elsewhere, or no longer can."""

    code = "opponentLeft"


class TableFull(Refusal):
    """Both seats are taken."""

    code = "tableFull"


class TableClosed(Refusal):
    """The table was given up before play began."""

    code = "tableClosed"
