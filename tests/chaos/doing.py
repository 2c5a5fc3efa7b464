"""How what people do becomes messages: an act, by what the device shows, in the client's words.

Codes are told by voice: who is shown one has told everybody.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tests.chaos.agenda import Agenda
from tests.chaos.device import Act, Device
from tests.chaos.fates import Fates
from tests.chaos.gateway import Gateway
from tests.chaos.weather import Weather

OFFERS: Final = {
    "acceptDraw": "drawOffer",
    "declineDraw": "drawOffer",
    "acceptRematch": "rematchOffer",
    "declineRematch": "rematchOffer",
}
"""Which offer an answer is about."""


@dataclass(eq=False)
class Doing:
    """Everybody's hands and voices."""

    agenda: Agenda
    gateway: Gateway
    fates: Fates
    weather: Weather
    counts: Counter[str]
    codes: dict[str, str] = field(default_factory=lambda: {"nobody": "QQQQQQ"})

    def do(self, device: Device, act: Act) -> None:
        """The act said over the device, if there is anybody there to say it."""
        if device.is_gone or device.is_asleep or device.client.state == "stopped":
            return
        self.counts[f"act {act['do']}"] += 1
        fields = {key: act[key] for key in act if key not in {"at", "device", "do", "id"}}
        self._say(device, act["do"], act["id"], fields)
        self._echo(device, act["id"])

    def tell_code(self, device: Device) -> None:
        """A code that is shown is known to all."""
        view = device.client.view
        if view and view.get("code"):
            self.codes[device.person] = view["code"]

    def _say(self, device: Device, action: str, action_id: str, fields: dict[str, Any]) -> None:
        client = device.client
        if action == "createTable":
            client.say(action, action_id, **fields)
        elif action == "joinTable":
            code = self.codes.get(fields["code"])
            if code is not None:
                client.say(action, action_id, code=code)
        else:
            if action in OFFERS:
                offer = (client.view or {}).get(OFFERS[action]) or {"v": 0}
                fields["v"] = offer["v"]
            client.act(action, action_id, **fields)

    def _echo(self, device: Device, action_id: str) -> None:
        """The same message once more, whether or not it has been answered."""
        entry = device.client.outbox.entries.get(action_id)
        ms = self.fates.of(f"echo/{action_id}", 0, self.weather.echo_ms)
        if entry is not None and ms:
            self.counts["fault echo"] += 1
            self.agenda.after(ms, partial(self._again, device, entry.text))

    def _again(self, device: Device, text: str) -> None:
        if device.client.socket is not None and device.client.state == "open":
            self.gateway.say(device.client.socket, text)
