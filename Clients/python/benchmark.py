"""Measures requests a second with 64 in flight, beside a bare echo of asyncio streams. The C# server is the one of the tests: dotnet build -c Release Reloaded.Messaging.Tests/Reloaded.Messaging.Tests.PeerProcess.

Run it on a quiet machine: python3 benchmark.py
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import struct
import time
from multiprocessing.connection import Connection
from typing import Awaitable, Callable

from reloaded_messaging import Schema, connect
from tests.hosts import PEER, Host

IN_FLIGHT = 64
SECONDS = 2.0
ROUNDS = 5
_FRAME = struct.Struct("<II")  # the length of the payload, and the number of the message


def serve_echo(ready: Connection) -> None:
    """A server that sends each message back, in a process of its own."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):  # the client has closed
            while True:
                start = await reader.readexactly(_FRAME.size)
                writer.write(start + await reader.readexactly(_FRAME.unpack(start)[0]))
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


async def measure(ask: Callable[[int], Awaitable[object]]) -> float:
    """Returns the requests a second of 64 tasks, each of which sends its next request after its reply."""
    done, end = 0, time.perf_counter() + SECONDS

    async def work(number: int) -> None:
        nonlocal done
        while time.perf_counter() < end:
            await ask(number)
            done += 1

    begun = time.perf_counter()
    await asyncio.gather(*map(work, range(IN_FLIGHT)))
    return done / (time.perf_counter() - begun)


async def measure_echo(port: int) -> float:
    """The floor: messages with a length and a number over asyncio streams, and a future for each."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    waiting: dict[int, asyncio.Future[bytes]] = {}

    async def receive() -> None:
        while True:
            length, number = _FRAME.unpack(await reader.readexactly(_FRAME.size))
            waiting.pop(number).set_result(await reader.readexactly(length))

    async def ask(number: int) -> bytes:
        reply = waiting[number] = asyncio.get_running_loop().create_future()
        writer.write(_FRAME.pack(8, number) + bytes(8))
        await writer.drain()
        return await reply

    receiving = asyncio.create_task(receive())
    try:
        return await measure(ask)
    finally:
        receiving.cancel()
        writer.close()


async def measure_client(port: int) -> float:
    """A request whose handler has no reply, so the server sends an acknowledgement."""
    async with connect(f"tcp://127.0.0.1:{port}", Schema.load(PEER / "contracts.schema.json")) as host:
        return await measure(lambda number: host.request("Answer", {"Number": number, "ProcessId": 0}))


def main() -> None:
    ours, theirs = multiprocessing.Pipe()
    echo = multiprocessing.Process(target=serve_echo, args=[theirs], daemon=True)
    echo.start()
    echo_port, host = ours.recv(), Host(PEER, "languages", "none", "0")
    rounds = [(asyncio.run(measure_echo(echo_port)), asyncio.run(measure_client(int(host.ready)))) for _ in range(ROUNDS)]
    host.stop()
    echo.terminate()
    for name, values in (("asyncio streams", [one for one, _ in rounds]), ("client", [one for _, one in rounds]), ("ratio", [one / floor for floor, one in rounds])):
        ordered = sorted(values)
        print(f"{name:16} {ordered[len(ordered) // 2]:10,.2f}   ({ordered[0]:,.2f} to {ordered[-1]:,.2f})")


if __name__ == "__main__":
    main()
