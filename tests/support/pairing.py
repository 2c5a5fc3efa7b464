"""Two people at browsers at one table, and what the server holds of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.e2e.browser_support import Person
from tests.support.parlour import Parlour
from tests.support.stored import Row, Stored

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
TEN_MINUTES = 1
"""The choice of the page with 10 minutes in all, 5 s a move, and no limit for a single move."""
A_MOVE_A_MINUTE = 0
"""15 minutes in all, and a minute for each move."""
WRONG_MS = 437_300
"""White's device is so fast, Black's as slow: only the server's clock counts."""
SOON_MS = 15_000
"""How long words are waited for, in real time: far longer than it takes."""
NOTE = "#theirs .note"
"""Where a page says that the opponent is away, and for how long."""


@dataclass
class Pairing:
    """White at a desk, Black at a telephone, in play."""

    parlour: Parlour
    white: Person
    black: Person

    @classmethod
    def begins(cls, parlour: Parlour, time: int = TEN_MINUTES, **black: Any) -> "Pairing":  # noqa: ANN401 - Playwright's own options
        """Both have just sat down; options are those of Black's browser."""
        white = parlour.arrives(WRONG_MS, **DESKTOP)
        other = parlour.arrives(-WRONG_MS, **(PHONE | black))
        white.page.check(f'input[name=time][value="{time}"]', force=True)
        other.follows(white.makes_table("white"))
        white.sees("#board")
        parlour.stack.settle()
        return cls(parlour, white, other)

    @property
    def people(self) -> tuple[Person, Person]:
        """White and Black."""
        return self.white, self.black

    def plays(self, *ucis: str, think_ms: int = 0) -> None:
        """Moves in turn, each thought about for so long, and seen by both."""
        for uci in ucis:
            played = self.white.page.locator("#moves span").count()
            mover = self.people[played % 2]
            self.parlour.passes(think_ms)
            mover.is_to_move()
            mover.clicks(uci)
            for person in self.people:
                person.sees_moves(played + 1)
            self.parlour.stack.settle()

    def state(self) -> Row:
        """STATE of the table, as it is stored."""
        stored = Stored(self.parlour.stack)
        player = stored.player(self.parlour.player(self.white))
        return stored.state(str(player.get("seat") or player["last_table"]))

    def clocks(self) -> tuple[str, str]:
        """What White's and Black's clock show at this instant by what is stored."""
        state = self.state()
        left = [state["cw"], state["cb"]]
        if state["st"] == "l":
            left[len(state.get("mv", b"")) // 2 % 2] -= self.parlour.stack.now() - state["ct"]
        return digits(left[0]), digits(left[1])

    def agrees(self) -> None:
        """Both pages show the server's clocks, to the second."""
        white, black = self.clocks()
        for person, own, other in ((self.white, white, black), (self.black, black, white)):
            reads(person, "#ours .clock", own)
            reads(person, "#theirs .clock", other)

    def photograph(self, folder: Path, name: str) -> None:
        """A picture of either window."""
        self.white.photographs(folder / f"{name}-white.png")
        self.black.photographs(folder / f"{name}-black.png")

    def stands(self, fen: str) -> None:
        """The game stands at another position, changed behind everybody's back, and both see it."""
        stored, state = Stored(self.parlour.stack), self.state()
        stored.client.update_item(
            TableName=self.parlour.stack.table_name("Tables"),
            Key={"table_id": {"S": state["table_id"]}, "part": {"S": "STATE"}},
            UpdateExpression="SET fe = :fen, fp = :ply",
            ExpressionAttributeValues={
                ":fen": {"S": fen},
                ":ply": {"N": str(len(state["mv"]) // 2)},
            },
        )
        for person in self.people:
            person.reloads()
            self.parlour.is_linked(person)


def make_public(parlour: Parlour, maker: Person) -> None:
    """The table at which he sits is a public one: changed in what is stored."""
    stored = Stored(parlour.stack)
    table = str(stored.player(parlour.player(maker))["seat"])
    stored.client.update_item(
        TableName=parlour.stack.table_name("Tables"),
        Key={"table_id": {"S": table}, "part": {"S": "STATE"}},
        UpdateExpression="SET pu = :yes",
        ExpressionAttributeValues={":yes": {"BOOL": True}},
    )


def reads(person: Person, selector: str, words: str) -> None:
    """Waits until he reads these words there."""
    expect(person.page.locator(selector)).to_have_text(words, use_inner_text=True, timeout=SOON_MS)


def digits(ms: int) -> str:
    """Time on a clock of the page, from 20 s up to an hour: `9:58`."""
    seconds = -(-ms // 1_000)
    return f"{seconds // 60}:{seconds % 60:02}"


def countdown(ms: int) -> str:
    """What the page says of an opponent who is away and has so long to come back."""
    return f"away · {digits(max(0, ms))} left"
