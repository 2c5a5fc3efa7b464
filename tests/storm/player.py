"""A player who carries out his part of a plan, whatever befalls his device.

What he means to do he says once; where it was refused, or forgotten by a reloaded page, he means it
anew. He looks at what his device shows, and at nothing else.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

from tests.chaos.head import View
from tests.storm.device import Device, Place, intention
from tests.storm.plans import Plan
from tests.support.client import Message
from tests.support.recorded_games import SideName, side_on_move

AGAIN_S: Final = 0.5
Key = tuple[object, ...]


@dataclass(eq=False)
class Meeting:
    """What two players know of each other otherwise than by the server."""

    plan: Plan
    maker: SideName
    code: str | None = None
    table: str | None = None
    is_declined: bool = False
    players: list["Player"] = field(default_factory=list)

    def look(self) -> None:
        """Both look: one has learnt something."""
        for player in self.players:
            player.look()


@dataclass(eq=False)
class Player:
    """One of two."""

    meeting: Meeting
    is_maker: bool
    name: str
    place: Place
    is_away: bool = False
    """Whether he has gone for good, or until the game is over."""
    device: Device = field(init=False)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    _meant: dict[Key, str] = field(default_factory=dict)
    _answered: set[str] = field(default_factory=set)
    _is_looking: bool = False

    def __post_init__(self) -> None:
        self.device = Device(self.name, self.place, self._look_soon, self._take)
        self.device.is_claiming = self.meeting.plan.is_claimed
        self.meeting.players.append(self)

    @property
    def view(self) -> View | None:
        """What his device shows of this meeting's table, and nothing before he is welcome."""
        return self.device.client.view

    @property
    def is_done(self) -> bool:
        """Whether he sees the end of all that was planned."""
        view, plan = self.view, self.meeting.plan
        games = 1 if plan.again is None else 2
        return view is not None and view["status"] == "over" and view["game"] == games

    def forget(self) -> None:
        """His page is loaded anew: what was not answered is meant anew."""
        self._meant = {key: said for key, said in self._meant.items() if said in self._answered}

    # -- looking -----------------------------------------------------------------------

    def _look_soon(self) -> None:
        """Not within the client's own reckoning, which is not over yet."""
        if not self._is_looking:
            self._is_looking = True
            asyncio.get_running_loop().call_later(self.place.dice() * 0.02, self.look)

    def look(self) -> None:
        """He does what there is to do."""
        self._is_looking = False
        if self.is_away or not self.device.client.is_open:
            return
        view = self.view
        if view is None:
            self._enter()
        elif view["status"] == "waiting":
            self._wait(view)
        elif view["status"] == "live":
            self._play(view, self._plan_of(view))
        elif view["status"] == "over":
            self._end(view)

    def _take(self, message: Message) -> None:
        """An answer: what was refused is meant anew after a while."""
        re = message.get("re")
        if re is None:
            if message.get("event") is not None:
                self._look_soon()
            return
        if re in self.device.client.outbox.entries:
            return  # it was too busy: the client asks again by itself
        self._answered.add(re)
        if message["event"] == "refused" and re in self._meant.values():
            self._meant = {key: said for key, said in self._meant.items() if said != re}
            asyncio.get_running_loop().call_later(AGAIN_S, self._look_soon)
        self._look_soon()

    def _plan_of(self, view: View) -> Plan:
        plan = self.meeting.plan
        return plan.again if view["game"] > 1 and plan.again is not None else plan

    # -- doing -------------------------------------------------------------------------

    def _enter(self) -> None:
        if self.is_maker:
            control = self.meeting.plan.control
            wishes = {"timeControl": control} if control else {}
            self._ask("createTable", colour=self.meeting.maker, **wishes)
        elif self.meeting.code is not None:
            self._ask("joinTable", code=self.meeting.code)

    def _wait(self, view: View) -> None:
        self.meeting.table = view["table"]
        if self.meeting.plan.last_word == "close":
            self._act("leaveTable", view)
        elif self.meeting.code is None and "code" in view:
            self.meeting.code = view["code"]
            self.meeting.look()

    def _play(self, view: View, plan: Plan) -> None:
        ply, is_mine = view["ply"], side_on_move(view["ply"]) == view["you"]
        if ply == plan.declined_at and not self.meeting.is_declined:
            self._decline(view, is_mine=is_mine)
        elif ply < len(plan.moves):
            if is_mine:
                self._act("move", view, uci=plan.moves[ply])
            elif ply in plan.offered_at:
                self._act("offerDraw", view)
        else:
            self._say_last_word(view, plan)

    def _decline(self, view: View, *, is_mine: bool) -> None:
        """The side not on move offers, the other declines and then moves."""
        offer = view.get("drawOffer")
        if not is_mine:
            if offer is None:
                self._act("offerDraw", view)
        elif offer is not None:
            self._act("declineDraw", view, v=offer["v"])
        elif self._meant.get(("declineDraw", view["game"], view["ply"])) in self._answered:
            self.meeting.is_declined = True
            self.meeting.look()

    def _say_last_word(self, view: View, plan: Plan) -> None:
        is_by_me = plan.by == view["you"]
        offer = view.get("drawOffer")
        match plan.last_word:
            case "resign" if is_by_me:
                self._act("resign", view)
            case "leave" if is_by_me:
                self._act("leaveTable", view)
            case "abort" if is_by_me:
                self._act("abort", view)
            case "agree" if is_by_me and offer is None:
                self._act("offerDraw", view)
            case "agree" if offer is not None and offer["by"] != view["you"]:
                self._act("acceptDraw", view, v=offer["v"])
            case "absence" if is_by_me:
                self.is_away = True
                self.device.close()
            case _:
                pass

    def _end(self, view: View) -> None:
        plan, offer = self.meeting.plan, view.get("rematchOffer")
        if plan.again is not None and view["game"] == 1:
            if self.is_maker and offer is None:
                self._act("offerRematch", view)
            elif not self.is_maker and offer is not None:
                self._act("acceptRematch", view, v=offer["v"])
        elif self.is_done:
            self.done.set()

    def _act(self, action: str, view: View, **fields: Any) -> None:  # noqa: ANN401 - wire fields
        key = (action, view["game"], view["ply"])
        if key not in self._meant:
            said = self._meant[key] = intention()
            self.device.client.act(action, said, **fields)

    def _ask(self, action: str, **fields: Any) -> None:  # noqa: ANN401 - wire fields
        if (action,) not in self._meant:
            said = self._meant[action,] = intention()
            self.device.client.say(action, said, **fields)
