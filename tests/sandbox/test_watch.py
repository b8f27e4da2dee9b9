"""What is seen of a sandbox from outside it: programs, connections, canaries."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assay.errors import SandboxError
from assay.sandbox import Box, Confinement, Connection, Mount, Observations, Program, examine
from assay.sandbox.monitor.observations import read_observations
from assay.sandbox.monitor.program_watch import notification_filter

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(notification_filter() is None, reason="libseccomp is not installed"),
]
WATCHED = Confinement(watch=True)


def started(watched: Observations) -> list[str]:
    return [str(program) for program in watched.programs]


async def test_programs_are_seen_however_they_are_started() -> None:
    async with Box(WATCHED) as box:
        await box.exec(["sh", "-c", "(setsid sh -c 'git log -3') & echo 'git show HEAD' > s; sh s; wait"])
        await box.exec(
            ["python3", "-c", "import os; os.execv('/usr/bin/git', ['innocent', 'stash', 'list'])"]
        )
        await box.exec(["python3", "-c", "import os; os.posix_spawn('/bin/echo', ['echo', 'spawned'], {})"])
        descriptor = "import os; os.execve(os.open('/bin/echo', os.O_RDONLY), ['echo', 'by descriptor'], {})"
        await box.exec(["python3", "-c", descriptor])
        seen = await box.observations()
    assert seen.by == "seccomp"
    assert {"git log -3", "git show HEAD", "git stash list", "echo spawned"} <= set(started(seen))
    assert any(program.words == ("echo", "by descriptor") for program in seen.programs)
    assert not seen.full
    assert seen.unread == 0


async def test_padded_words_are_read_as_far_as_they_go() -> None:
    async with Box(WATCHED) as box:
        await box.exec(["git", *["-c", f"x.y={'z' * 200}"] * 25, "log"])
        await box.exec(["git", *["-c", "x.y=z"] * 40, "log"])
        await box.exec(["echo", *"abc" * 21])
        first, second, third = (await box.observations()).programs
    assert (first.words[-1], first.cut, len(first.words[2])) == ("log", False, 160)
    assert (len(second.words), second.cut) == (64, True)
    assert (len(third.words), third.cut) == (64, False)


async def test_connections_are_seen_and_lead_nowhere() -> None:
    script = (
        "import contextlib, socket\n"
        "for family, kind, there in [(2, 1, ('192.0.2.7', 443)), (10, 1, ('2001:db8::1', 80))]:\n"
        "    with contextlib.suppress(OSError):\n"
        "        socket.socket(family, kind).connect(there)\n"
        "with contextlib.suppress(OSError):\n"
        "    socket.socket(2, 2).sendto(b'x', ('192.0.2.8', 99))\n"
        "with contextlib.suppress(OSError):\n"
        "    socket.getaddrinfo('example.org', 80)\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname())\n"
    )
    async with Box(WATCHED) as box:
        outcome = await box.exec(["python3", "-c", script])
        connections = (await box.observations()).connections
    assert outcome.returncode == 0, outcome.stderr
    outside = {str(each) for each in connections if not each.is_loopback}
    assert outside == {"192.0.2.7:443", "[2001:db8::1]:80", "192.0.2.8:99"}
    assert Connection("127.0.0.1", 53) in connections
    assert any(each.is_loopback and not each.is_lookup for each in connections)


async def test_commands_do_the_same_under_the_watch() -> None:
    async with Box(WATCHED) as box:
        assert (await box.exec(["no-such-program"])).returncode == 127
        assert (await box.exec(["sh", "-c", "exit 3"])).returncode == 3
        killed = await box.exec(["sh", "-c", "kill -9 $$"])
        assert killed.returncode == 137
        late = await box.exec(["sh", "-c", "while :; do /bin/true; done"], timeout=0.5)
        assert late.timed_out
        many = await asyncio.gather(*(box.exec(["echo", str(number)]) for number in range(20)))
        assert [int(outcome.stdout) for outcome in many] == list(range(20))


async def test_sandboxes_beside_each_other_are_told_apart() -> None:
    async with Box(WATCHED) as one, Box(WATCHED) as other:
        await asyncio.gather(one.exec(["echo", "one"]), other.exec(["echo", "other"]))
        assert started(await one.observations()) == ["echo one"]
        assert started(await other.observations()) == ["echo other"]


async def test_what_was_seen_outlives_the_sandbox() -> None:
    box = await Box(WATCHED).open()
    await box.exec(["echo", "once"])
    await box.exec(["echo", "once"])
    await box.close()
    assert (await box.observations()).programs == (Program("echo", ("echo", "once")),)


async def test_a_flood_is_told_and_does_no_harm() -> None:
    flood = (
        "import os\n"
        "for n in range(700):\n"
        "    os.waitpid(os.posix_spawn('/bin/true', ['true', *[str(n) * 60] * 22], {}), 0)"
    )
    async with Box(WATCHED) as box:
        await box.exec(["python3", "-c", flood])
        assert (await box.observations()).full
        assert (await box.exec(["echo", "on"])).stdout == b"on\n"


async def test_nothing_inside_can_blind_it() -> None:
    # A second listener is refused by the kernel, and the harness's is nowhere inside.
    steal = "import os; print([os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd')[:3]])"
    async with Box(WATCHED) as box:
        assert b"seccomp" not in (await box.exec(["python3", "-c", steal])).stdout
        await box.exec(["sh", "-c", "kill -9 -1"])
        await box.exec(["git", "log"])
        assert "git log" in started(await box.observations())


async def test_where_nobody_looks_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_WATCH", "off")
    async with Box(WATCHED) as box:
        await box.exec(["echo"])
        seen = await box.observations()
    assert (seen.by, seen.why) == (None, "disabled by ASSAY_WATCH")
    async with Box(Confinement()) as box:
        assert (await box.observations()).by is None


async def test_the_doctor_tells_of_it_also_from_within_an_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = [check for check in examine() if check.name == "watch"]
    assert "seccomp notification" in found.detail
    monkeypatch.setenv("ASSAY_WATCH", "off")
    (off,) = [check for check in examine() if check.name == "watch"]
    assert (off.state, off.detail) == ("degraded", "none: disabled by ASSAY_WATCH")


async def test_opened_canaries_are_named_for_the_sandbox_that_opened_them(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "truth.json").write_text("{}")
    (tmp_path / "key").write_text("k")
    confinement = Confinement(mounts=(Mount(tmp_path, "/tests", canary=True),))
    async with Box(confinement) as nosy, Box(confinement) as honest:
        await honest.exec(["sh", "-c", "ls -lR /tests; find / -name '*.json' 2>/dev/null; stat /tests/key"])
        assert (await nosy.exec(["cat", "/tests/deep/truth.json"])).stdout == b"{}"
        await nosy.exec(["cp", "/tests/deep/truth.json", "."])
        assert (await nosy.observations()).opened == ("/tests/deep/truth.json",)
        assert (await honest.observations()).opened == ()
        assert (await nosy.exec(["sh", "-c", "echo > /tests/key"])).returncode != 0


def test_a_line_that_is_half_written_is_left_for_later() -> None:
    whole = b'{"program": "git", "words": ["git", "log"]}\n{"unread": "execve"}\n{"address"'
    seen = read_observations(whole)
    assert started(seen) == ["git log"]
    assert seen.unread == 1


async def test_without_the_watcher_a_command_is_no_failure_of_the_agent() -> None:
    from assay.sandbox.monitor import program_watch as watch

    async with Box(WATCHED) as box:
        await box.exec(["true"])
        watcher = watch._listener_process(watch.os.getpid())  # type: ignore[attr-defined]
        watcher.process.kill()
        watcher.process.wait()
        try:
            with pytest.raises(SandboxError, match="watches sandboxes ended"):
                await box.exec(["true"])
        finally:
            watch._start_listener_process.cache_clear()
