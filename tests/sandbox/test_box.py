"""A running sandbox that serves many commands."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import SandboxError
from assay.sandbox import Box, Confinement, Mount, SandboxLimits

pytestmark = pytest.mark.anyio


async def test_the_workspace_lives_from_one_command_to_the_next(tmp_path: Path) -> None:
    (tmp_path / "given").write_text("given")
    async with Box(Confinement(workspace=tmp_path)) as box:
        await box.exec(["sh", "-c", "cat given > made; mkdir below"])
        outcome = await box.exec(["cat", "../made"], cwd="below")
        assert outcome.stdout == b"given"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["given"]


async def test_background_jobs_go_on_until_it_is_quiet() -> None:
    async with Box(Confinement()) as box:
        started = await box.exec(
            ["sh", "-c", "(while :; do echo x; echo x >> beat; sleep 0.01; done) & echo on"]
        )
        assert started.stdout.startswith(b"on") or b"on\n" in started.stdout
        grown = await box.exec(["sh", "-c", "until [ -s beat ]; do sleep 0.01; done; wc -c < beat"])
        await box.exec(
            ["sh", "-c", f"until [ $(wc -c < beat) -gt {int(grown.stdout)} ]; do sleep 0.01; done"]
        )
        await box.kill_processes()
        third = len(await box.read_file("beat"))
        await asyncio.sleep(0.1)
        assert len(await box.read_file("beat")) == third
        counted = await box.exec(["sh", "-c", "ls /proc | grep -c '^[0-9]'"])
        assert int(counted.stdout) <= 4


async def test_background_jobs_die_with_the_box(tmp_path: Path) -> None:
    confinement = Confinement(mounts=(Mount(tmp_path, "/shared", writable=True),))
    script = "setsid sh -c 'while :; do echo x >> /shared/beat; sleep 0.01; done' & sleep 0.2"
    async with Box(confinement) as box:
        await box.exec(["sh", "-c", script])
    beats = (tmp_path / "beat").stat().st_size
    assert beats > 0
    await asyncio.sleep(0.2)
    assert (tmp_path / "beat").stat().st_size == beats


async def test_commands_run_beside_each_other() -> None:
    async with Box(Confinement()) as box:
        meeting = [
            ["sh", "-c", "mkfifo one two; echo a > one; cat two"],
            [
                "sh",
                "-c",
                "until [ -p two ]; do sleep 0.01; done; read word < one; echo $word > two; echo done",
            ],
        ]
        outcomes = await asyncio.gather(*(box.exec(command) for command in meeting))
        assert [outcome.stdout for outcome in outcomes] == [b"a\n", b"done\n"]
        many = await asyncio.gather(*(box.exec(["echo", str(number)]) for number in range(30)))
        assert [int(outcome.stdout) for outcome in many] == list(range(30))


async def test_nothing_inside_can_kill_or_read_the_resident_process() -> None:
    async with Box(Confinement()) as box:
        await box.exec(["sh", "-c", "kill -9 1; kill -TERM 1; kill -INT 1; kill -9 -1"])
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"
        for file in ("mem", "environ", "fd/3", "maps"):
            outcome = await box.exec(["head", "-c", "1", f"/proc/1/{file}"])
            assert outcome.returncode != 0, file


async def test_a_command_that_times_out_is_killed_with_its_children() -> None:
    async with Box(Confinement()) as box:
        survivor = await box.exec(["sh", "-c", "sleep 1001 & echo $!"])
        await box.exec(
            ["sh", "-c", "sleep 1002 & setsid sleep 1003 & (sleep 1004 &) ; sleep 1005"], timeout=0.3
        )
        listed = (await box.exec(["ps", "-eo", "args"])).stdout.decode()
        assert "sleep 1001" in listed, survivor
        assert not any(f"sleep {number}" in listed for number in (1002, 1004, 1005))


async def test_cancelling_a_command_kills_it() -> None:
    async with Box(Confinement()) as box:
        task = asyncio.create_task(box.exec(["sleep", "1006"]))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert b"sleep 1006" not in (await box.exec(["ps", "-eo", "args"])).stdout


async def test_files_are_opened_inside_the_namespace(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    async with Box(Confinement()) as box:
        await box.exec(["ln", "-s", str(secret), "link"])
        with pytest.raises(FileNotFoundError):
            await box.read_file("link")
        await box.write_file("deep/er/file", b"content")
        assert await box.read_file("/workspace/deep/er/file", max_bytes=4) == b"cont"
        await box.exec(["mkfifo", "pipe"])
        with pytest.raises(PermissionError):
            await box.read_file("pipe")
        for path in ("pipe", "/usr/x"):
            with pytest.raises(OSError):
                await box.write_file(path, b"x")
        with pytest.raises(IsADirectoryError):
            await box.read_file("deep")


async def test_a_full_disk_is_an_error_of_the_write() -> None:
    async with Box(Confinement(limits=SandboxLimits(disk_mb=4))) as box:
        with pytest.raises(OSError, match="No space left"):
            await box.write_file("large", b"x" * (8 << 20))


async def test_no_such_program_and_not_a_program() -> None:
    async with Box(Confinement()) as box:
        outcome = await box.exec(["no-such-program"])
        assert (outcome.returncode, outcome.stderr) == (127, b"no-such-program: not found\n")
        with pytest.raises(PermissionError):
            await box.exec(["/etc/passwd"])


async def test_a_closed_box_says_so() -> None:
    box = Box(Confinement())
    async with box:
        pass
    with pytest.raises(SandboxError, match="not running"):
        await box.exec(["true"])


async def test_a_closed_box_leaves_no_descriptor() -> None:
    async with Box(Confinement()):
        pass
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        async with Box(Confinement()) as box:
            await box.exec(["sh", "-c", "sleep 60 & echo x"])
    assert len(list(Path("/proc/self/fd").iterdir())) == before


async def test_a_person_or_a_script_can_enter() -> None:
    async with Box(Confinement()) as box:
        await box.write_file("note", b"found by the visitor")
        command = [sys.executable, "-m", "assay.sandbox.session.shell", box.terminal]
        script = b"cat note; echo; tty; echo left > mark; exit 4\n"
        visit = await asyncio.to_thread(
            subprocess.run, command, input=script, capture_output=True, timeout=60, check=False
        )
        assert visit.returncode == 4, visit.stderr
        assert b"found by the visitor" in visit.stdout
        assert b"/dev/pts/" in visit.stdout
        assert await box.read_file("mark") == b"left\n"


async def test_an_agent_can_commit_its_work_with_git() -> None:
    async with Box(Confinement()) as box:
        outcome = await box.exec(["sh", "-c", "git init -q . && git commit -q --allow-empty -m first"])
        assert (outcome.returncode, outcome.stderr) == (0, b"")
