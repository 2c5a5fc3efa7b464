"""It is quiet when nothing is in flight and no source has anything new."""

import asyncio

from infra.local.timing.quiet import Quiet


async def test_what_is_found_by_looking_again_is_waited_for() -> None:
    quiet = Quiet()
    done: list[str] = []
    waiting = ["a", "b", "c"]

    async def work(one: str) -> None:
        with quiet.busy():
            await asyncio.sleep(0.01)
            done.append(one)

    async def look() -> bool:
        if not waiting:
            return False
        tasks.append(asyncio.create_task(work(waiting.pop())))
        await asyncio.sleep(0)
        return True

    tasks: list[asyncio.Task[None]] = []
    quiet.ask_again(look)
    await quiet.settle()
    assert done == ["c", "b", "a"]


async def test_what_comes_and_goes_while_it_is_looked_for_is_looked_after() -> None:
    quiet = Quiet()
    looked: list[int] = []

    async def look() -> bool:
        looked.append(len(looked))
        if len(looked) == 1:
            # Began and ended after the source was read: what it left there is not seen yet.
            with quiet.busy():
                await asyncio.sleep(0)
        return False

    quiet.ask_again(look)
    await quiet.settle()
    assert looked == [0, 1]


async def test_a_source_that_found_something_is_asked_again() -> None:
    quiet = Quiet()
    pages = [True, True, False]

    async def look() -> bool:
        await asyncio.sleep(0)
        return pages.pop(0)

    quiet.ask_again(look)
    await quiet.settle()
    assert pages == []


async def test_without_sources_nothing_is_looked_for() -> None:
    quiet = Quiet()
    await quiet.settle()
    assert quiet.count == 0
