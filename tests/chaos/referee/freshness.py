"""Every connected viewer reaches the head within 20 s, whatever failed (section 2, step 7).

A viewer is a device that shows a table which is waiting, seated or live, or over since less than
five minutes or with a rematch offered: there something may happen without his doing. He is
promised the head 20 s (and what a question and its answer take) after it was written, or after he
was last disturbed himself: not connected, suspended, his own message or its answer lost, late or
failed. That news from others was lost, or that their functions died, is no excuse.
"""

from typing import Final

from tests.chaos.agenda import Agenda
from tests.chaos.device import Device
from tests.chaos.referee.ledger import Ledger
from tests.chaos.referee.violation import Violation

PROMISED_MS: Final = 20_000
ROUND_TRIP_MS: Final = 3_000


class Freshness:
    """Looks at each viewer when he should be up to date."""

    def __init__(
        self, agenda: Agenda, devices: dict[str, Device], books: dict[str, Ledger]
    ) -> None:
        self._agenda = agenda
        self._devices = devices
        self._books = books
        self._watched: set[str] = set()

    def written(self, ledger: Ledger) -> None:
        """There is a new head: whoever sits there must get to know it."""
        for device in self._devices.values():
            sits = any(
                seat.player_id == device.player for seat in (ledger.table.white, ledger.table.black)
            )
            if sits and device.name not in self._watched and not device.is_gone:
                self._look_later(device, self._agenda.now)

    def _look_later(self, device: Device, since: int) -> None:
        self._watched.add(device.name)
        self._agenda.at(since + PROMISED_MS + ROUND_TRIP_MS, lambda: self._look(device))

    def _look(self, device: Device) -> None:
        self._watched.discard(device.name)
        behind_since = self.behind_since(device)
        if behind_since is None:
            return
        if not device.is_fit:
            self._look_later(device, self._agenda.now)
            return
        since = max(behind_since, device.disturbed_at)
        is_late = self._agenda.now >= since + PROMISED_MS + ROUND_TRIP_MS
        if is_late:
            view = device.client.view or {}
            raise Violation(
                "every connected viewer reaches the head within 20 s",
                device=device.name,
                shows=(view.get("v"), view.get("status")),
                head=self._books[view["table"]].table.v,
                behind_since=behind_since,
                disturbed=(device.disturbed_at, device.disturbed_by),
            )
        self._look_later(device, since)

    def behind_since(self, device: Device) -> int | None:
        """Since when there has been a later head than the one shown; None: it is the head."""
        view = device.client.view
        if device.is_gone or view is None or not device.client.watch.is_asking:
            return None
        ledger = self._books[view["table"]]
        return ledger.written_at.get(view["v"] + 1)

    def is_late(self, device: Device) -> bool:
        """Whether there has been a later head for too long, however often he was disturbed."""
        behind_since = self.behind_since(device)
        last = self._agenda.now - PROMISED_MS - ROUND_TRIP_MS
        return behind_since is not None and behind_since < last
