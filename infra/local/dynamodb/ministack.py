"""MiniStack as a child process: DynamoDB over HTTP on a free loopback port, its state kept.

Knows how MiniStack is configured and that it saves its state on SIGTERM only, so it is always
stopped that way and waited for.
"""

import asyncio
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp

from infra.local.cloudformation.intrinsics import Place

ROOT: Final = Path(__file__).resolve().parents[3]
STARTING_LIMIT_S: Final = 20.0
STOPPING_LIMIT_S: Final = 15.0
LOOK_EVERY_S: Final = 0.02
# Not whether it listens: with its first call it loads what DynamoDB needs.
FIRST_CALL: Final = {"X-Amz-Target": "DynamoDB_20120810.ListTables"}
SERVICES: Final = "dynamodb,dynamodbstreams"


class MiniStackError(Exception):
    """MiniStack did not come up."""


@dataclass(slots=True)
class MiniStack:
    """A running MiniStack; `endpoint` serves DynamoDB."""

    state: Path
    place: Place
    port: int = 0
    _process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        """The URL for AWS clients."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """Where it writes what it has to say."""
        return self.state / "ministack.log"

    def start(self) -> None:
        """The process is started; it answers a little later."""
        self.port = _free_port()
        folder = self.state / "ministack"
        folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "infra.local.leash", "ministack"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=self._environment(folder),
                start_new_session=True,
            )

    async def ready(self) -> None:
        """Return when it answers; raises MiniStackError when it ends or takes too long."""
        async with aiohttp.ClientSession() as session:
            try:
                async with asyncio.timeout(STARTING_LIMIT_S):
                    while not await self._answers(session):  # noqa: ASYNC110  another process
                        await asyncio.sleep(LOOK_EVERY_S)
            except TimeoutError:
                raise MiniStackError(f"MiniStack does not answer; see {self.log}") from None

    async def ended(self) -> None:
        """Raise MiniStackError when it has ended though nobody stopped it."""
        if self._process is not None:
            status = await asyncio.to_thread(self._process.wait)
            lost = "what was written since the start is lost"
            raise MiniStackError(f"MiniStack ended with status {status}: {lost}; see {self.log}")

    async def stop(self) -> None:
        """Its state is saved and it is gone."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            await asyncio.to_thread(process.wait, STOPPING_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)
        if process.stdin is not None:
            process.stdin.close()

    async def _answers(self, session: aiohttp.ClientSession) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise MiniStackError(f"MiniStack ended; see {self.log}")
        try:
            async with session.post(self.endpoint, headers=FIRST_CALL, data="{}") as response:
                return response.status == 200  # noqa: PLR2004  ready
        except aiohttp.ClientError:
            return False

    def _environment(self, folder: Path) -> dict[str, str]:
        kept = ("PATH", "HOME", "LANG", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "PYTHONPATH": str(ROOT),
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(self.port),
            "MINISTACK_ACCOUNT_ID": self.place.account,
            "MINISTACK_REGION": self.place.region,
            "PERSIST_STATE": "1",
            "STATE_DIR": str(folder.resolve()),
            "TMPDIR": str(folder.resolve()),
            "SERVICES": SERVICES,
            "SFTP_ENABLED": "0",
            "IOT_MTLS_ENABLED": "0",
            "LOG_LEVEL": "WARNING",
        }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
