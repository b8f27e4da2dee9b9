"""Whatever is asked of a sandbox, or called inside it, it answers and hands its workspace out."""

from __future__ import annotations

import random

import pytest

from assay.errors import BadRequest, SandboxError
from assay.sandbox import Box, Confinement, SandboxLimits
from assay.sandbox.session.left_workspace import restored_box

pytestmark = pytest.mark.anyio

CALLS = """
import ctypes, os, random, resource, signal, sys
libc = ctypes.CDLL(None)
chance = random.Random(int(sys.argv[1]))
batches, calls = int(sys.argv[2]), int(sys.argv[3])
room = ctypes.create_string_buffer(4096)
where = ctypes.addressof(room)
words = [0, 1, 2, 3, 4, 9, 15, 19, 64, 255, 1000, 4096, 1 << 31, (1 << 64) - 1, (1 << 32) | 1]
words += [where, where + 8]
for _ in range(batches):
    child = os.fork()
    if child:
        try:
            os.waitpid(child, 0)
        except OSError:
            pass
        continue
    signal.alarm(1)
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
    for _ in range(calls):
        noise = bytes(chance.getrandbits(8) for _ in range(64))
        room.raw = chance.choice([b"\\0" * 4096, b"/proc/1/mem\\0" * 341, b"\\1" + b"\\0" * 7, noise])
        arguments = [ctypes.c_ulong(chance.choice(words)) for _ in range(6)]
        libc.syscall(ctypes.c_long(chance.randrange(460)), *arguments)
    os._exit(0)
"""
LETTERS = ["a", "b", "/", "\0", "\ud800", "\udc80", "\udfff", "\n", " ", "é", "'", "$", "=", "\U0001f600"]


def odd_text(chance: random.Random) -> str:
    """Text as a broken model may send it."""
    length = chance.choice([0, 1, 3, 20, 300, 5000, 200_000])
    return "".join(chance.choices(LETTERS[: chance.choice([2, 3, len(LETTERS)])], k=length))


async def odd_request(box: Box, chance: random.Random) -> None:
    """One request of random words; any answer will do but that the sandbox has ended."""
    words = [odd_text(chance) for _ in range(chance.randrange(4))]
    kind = chance.randrange(4)
    try:
        if kind == 0:
            await box.exec(words, timeout=2)
        elif kind == 1:
            given = {odd_text(chance): odd_text(chance)}
            await box.exec(["sh", "-c", *words], cwd=odd_text(chance), variables=given, timeout=2)
        elif kind == 2:
            await box.read_file(odd_text(chance), max_bytes=1000)
        else:
            await box.write_file(odd_text(chance), chance.randbytes(100))
    except (BadRequest, OSError):
        pass


async def throw_requests(seed: int, count: int) -> None:
    chance = random.Random(seed)
    async with Box(Confinement(watch=True)) as box:
        await box.write_file("kept", b"kept")
        for _ in range(count):
            await odd_request(box, chance)
        assert (await box.exec(["/bin/cat", "/workspace/kept"])).stdout == b"kept"


async def throw_calls(seed: int, rounds: int) -> None:
    limits = SandboxLimits(memory_mb=1024, processes=64, wall_seconds=20)
    async with Box(Confinement(watch=True, limits=limits)) as box:
        await box.write_file("kept", b"kept")
        for number in range(rounds):
            command = ["python3", "-c", CALLS, str(seed * 1000 + number), "30", "20"]
            await box.exec(command, timeout=10)
        try:
            await box.kill_processes()
            kept = await box.read_file("kept")
        except SandboxError:  # the kernel may end it for want of memory: then its workspace is handed in
            async with restored_box(box) as fresh:
                kept = await fresh.read_file("kept")
        assert kept == b"kept"


@pytest.mark.parametrize("seed", [1, 2])
async def test_odd_requests_are_answered(seed: int) -> None:
    await throw_requests(seed, 60)


@pytest.mark.parametrize("seed", [1, 2])
async def test_odd_system_calls_lose_nothing(seed: int) -> None:
    await throw_calls(seed, 2)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
async def test_many_odd_requests_are_answered(seed: int) -> None:
    await throw_requests(seed, 500)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
async def test_many_odd_system_calls_lose_nothing(seed: int) -> None:
    await throw_calls(seed, 20)
