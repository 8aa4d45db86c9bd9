"""Carries TCP connections, badly, on command: for tests of what a network does.

usage: relay.py CONTROL LISTEN TARGET [LISTEN TARGET …]

Addresses are HOST:PORT. CONTROL is a file that holds one of: pass, stall (carries nothing, keeps connections), delay SECONDS,
cut (ends all connections, then passes new ones). A change takes effect within 20 ms.
"""

import asyncio
import sys
import time


class Relay:
    def __init__(self, control):
        self.control = control
        self.text = ""
        self.stalled = asyncio.Event()
        self.delay = 0.0
        self.writers = set()

    async def watch(self):
        while True:
            with open(self.control, encoding="utf-8") as file:
                text = file.read().strip()
            if text != self.text and text:
                self.text = text
                words = text.split()
                self.delay = float(words[1]) if words[0] == "delay" else 0.0
                if words[0] == "stall":
                    self.stalled.clear()
                else:
                    self.stalled.set()
                if words[0] == "cut":
                    for writer in list(self.writers):
                        writer.transport.abort()
            await asyncio.sleep(0.02)

    async def carry(self, reader, writer):
        queue = asyncio.Queue()

        async def send():
            while True:
                due, data = await queue.get()
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                await self.stalled.wait()
                if not data:
                    writer.close()
                    return
                writer.write(data)
                await writer.drain()

        sender = asyncio.create_task(send())
        try:
            while data := await reader.read(65536):
                queue.put_nowait((time.monotonic() + self.delay, data))
        except OSError:
            pass
        queue.put_nowait((time.monotonic() + self.delay, b""))
        try:
            await sender
        except OSError:
            writer.transport.abort()

    async def accept(self, target, reader, writer):
        host, port = target.rsplit(":", 1)
        try:
            there_reader, there_writer = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.transport.abort()
            return
        self.writers |= {writer, there_writer}
        await asyncio.gather(self.carry(reader, there_writer), self.carry(there_reader, writer))
        self.writers -= {writer, there_writer}


async def main():
    relay = Relay(sys.argv[1])
    relay.stalled.set()
    pairs = sys.argv[2:]
    for listen, target in zip(pairs[::2], pairs[1::2]):
        host, port = listen.rsplit(":", 1)
        await asyncio.start_server(
            lambda reader, writer, target=target: relay.accept(target, reader, writer), host, int(port))
    await relay.watch()


asyncio.run(main())
