"""The floor under the local cloud: an aiohttp WebSocket that says back what it hears, no more.

Prints its address and runs until its standard input ends.
"""

import asyncio
import sys

from aiohttp import WSMsgType, web


async def main() -> None:
    """Serve on a free port."""
    runner = web.ServerRunner(web.Server(_echo, access_log=None))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(f"ws://127.0.0.1:{runner.addresses[0][1]}/", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


async def _echo(request: web.BaseRequest) -> web.WebSocketResponse:
    socket = web.WebSocketResponse(compress=False)
    await socket.prepare(request)
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await socket.send_str(message.data)
    return socket


if __name__ == "__main__":
    asyncio.run(main())
