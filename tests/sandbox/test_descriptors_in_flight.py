"""Descriptors that one sandbox sends and nobody receives leave enough for every other sandbox."""

from __future__ import annotations

import asyncio
from pathlib import Path

from assay.sandbox import Box, Confinement

HOLD = """
import array, os, resource, socket, sys, time
if os.fork():
    while not os.path.exists("/workspace/count"):
        time.sleep(0.05)
    sys.exit()
os.setsid()
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
pairs, count = [], 0
try:
    while True:
        pairs.append(socket.socketpair())
        pairs[-1][0].setblocking(False)
        try:
            while True:
                rights = array.array("i", [0] * 253)
                pairs[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
                count += 253
        except BlockingIOError:
            pass
except OSError as error:
    with open("/workspace/new", "w") as file:
        file.write(str(count))
    os.rename("/workspace/new", "/workspace/count")
time.sleep(600)
"""


async def hold_and_use(folder: Path) -> tuple[int, bytes, int]:
    """The descriptors in flight, what the same sandbox still reads, how a fresh one's command ends."""
    (folder / "own").mkdir()
    (folder / "fresh").mkdir()
    async with Box(Confinement(workspace=folder / "own")) as own:
        await own.exec(["python3", "-c", HOLD])
        await own.write_file("/workspace/note", b"still here")
        note = await own.read_file("/workspace/note")
        count = int(await own.read_file("/workspace/count"))
        async with Box(Confinement(workspace=folder / "fresh")) as fresh:
            ended = await fresh.exec(["true"])
    return count, note, ended.returncode


def test_other_sandboxes_and_file_requests_still_work(tmp_path: Path) -> None:
    count, note, returncode = asyncio.run(hold_and_use(tmp_path))
    assert count > 1024
    assert (note, returncode) == (b"still here", 0)


def test_what_a_command_starts_at_once_has_its_limits(tmp_path: Path) -> None:
    async def limits() -> list[list[bytes]]:
        async with Box(Confinement(workspace=tmp_path)) as box:
            shown = "for _ in 1 2 3 4 5 6; do (ulimit -Hn) & done; ulimit -Hn; wait"
            return [(await box.exec(["sh", "-c", shown])).stdout.split() for _ in range(40)]

    found = asyncio.run(limits())
    assert {len(numbers) for numbers in found} == {7}
    assert len({number for numbers in found for number in numbers}) == 1, found
