"""The refusals that are not the game's own: what the door turns away, and what use cases refuse.

One class per reason, each with a stable `code`; the docstrings are the client's documentation
and name the parameters. Knows no words of any language: those are `notices`.
"""

from shared.game.refusal import Refusal


class Malformed(Refusal):
    """Not a message of this protocol: no JSON object, or a field that is missing or wrong.

    ``field`` names it, where it is known.
    """

    code = "malformed"


class UnknownAction(Refusal):
    """There is no such ``action``."""

    code = "unknownAction"


class UnknownField(Refusal):
    """The action has no such field as ``field``."""

    code = "unknownField"


class TooLong(Refusal):
    """More than ``limit`` characters: the text of ``field``, or without one the whole message."""

    code = "tooLong"


class TableNotFound(Refusal):
    """No such table or code, or none that the asker may know of."""

    code = "tableNotFound"


class SeatHeld(Refusal):
    """The player already sits at another table: ``table``, where it is known."""

    code = "seatHeld"


class AppOutdated(Refusal):
    """The app is too old to enter: it needs version ``minimum``, to be had at ``store``."""

    code = "appOutdated"


class Busy(Refusal):
    """Too much happened at this table at once; nothing was done: ask again with the same id."""

    code = "busy"


class TooManyGuesses(Refusal):
    """Too many codes that do not exist; the next may be tried at ``retryAt`` (epoch ms)."""

    code = "tooManyGuesses"


class ConnectionClosed(Refusal):
    """The connection was lost before it could be seated; open a new one and ask again."""

    code = "connectionLost"


class BadTimeControl(Refusal):
    """A time control outside the limits; ``field`` says which part of it."""

    code = "badTimeControl"


class UnknownRuleset(Refusal):
    """There is no such ``ruleset``."""

    code = "unknownRuleset"


class NoFreeCode(Refusal):
    """No free code was found for a new table; ask again."""

    code = "noFreeCode"
