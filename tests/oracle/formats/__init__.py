"""The registry of case-file formats: adding one is a file here and its line."""

from tests.oracle.formats.clocked_games import ClockedGames
from tests.oracle.formats.endings import Endings
from tests.oracle.formats.format import Format
from tests.oracle.formats.perft import Perft

FORMATS: tuple[Format, ...] = (Perft(), Endings(), ClockedGames())
