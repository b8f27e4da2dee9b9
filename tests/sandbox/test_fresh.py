"""One command in a sandbox of its own, and two in conversation."""

from __future__ import annotations

import asyncio
import os
import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.sandbox import Confinement, SandboxLimits, converse, run_confined

pytestmark = pytest.mark.anyio

PLAIN = Confinement()


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_input_output_and_return_code() -> None:
    outcome = await run_confined(PLAIN, ["sh", "-c", "cat; echo bad >&2; exit 3"], input=b"said\n")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (3, b"said\n", b"bad\n")
    assert outcome.exceeded is None


async def test_large_input_and_output() -> None:
    data = os.urandom(900_000)
    outcome = await run_confined(PLAIN, ["cat"], input=data)
    assert outcome.stdout == data


async def test_a_command_that_takes_no_input_may_end_first() -> None:
    outcome = await run_confined(PLAIN, ["true"], input=b"x" * 1_000_000)
    assert outcome.returncode == 0


async def test_no_such_program_and_death_by_signal() -> None:
    assert (await run_confined(PLAIN, ["no-such-program"])).returncode == 127
    assert (await run_confined(PLAIN, ["sh", "-c", "kill -SEGV $$"])).returncode == 139


async def test_an_empty_command_is_refused() -> None:
    with pytest.raises(UsageError, match="empty"):
        await run_confined(PLAIN, [])


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        while True:
            open("/shared/beat", "a").write("x")
            time.sleep(0.01)
    os._exit(0)
time.sleep(0.3)
"""


async def test_a_detached_daemon_dies_with_its_command(tmp_path: Path) -> None:
    from assay.sandbox import Mount

    confinement = Confinement(mounts=(Mount(tmp_path, "/shared", writable=True),))
    await run_confined(confinement, ["python3", "-c", DAEMON])
    beats = (tmp_path / "beat").stat().st_size
    assert beats > 0
    await asyncio.sleep(0.2)
    assert (tmp_path / "beat").stat().st_size == beats


async def test_collecting_takes_regular_files_only(tmp_path: Path) -> None:
    (tmp_path / "given.txt").write_text("given")
    script = """
mkdir -p deep/er; echo one > deep/er/a.txt; echo two > deep/b.txt; echo three > c.log
ln -s /etc/passwd link.txt; ln -s deep linked; mkfifo pipe.txt; head -c 3000000 /dev/zero > large.txt
echo hidden > locked.txt; chmod 000 locked.txt; rm given.txt; echo again > given.txt
"""
    limits = SandboxLimits(file_size_mb=4, disk_mb=64)
    outcome = await run_confined(
        Confinement(workspace=tmp_path, limits=limits),
        ["sh", "-c", script],
        collect=["*.txt", "deep/**/*.txt", "linked/b.txt", "c.log", "missing.txt", "deep"],
    )
    assert outcome.returncode == 0
    assert outcome.files.keys() - {"locked.txt"} == {
        "given.txt",
        "large.txt",
        "deep/b.txt",
        "deep/er/a.txt",
        "c.log",
    }
    assert outcome.files["given.txt"] == b"again\n"
    assert outcome.refused["link.txt"] == outcome.refused["linked"] == "is a symbolic link"
    assert outcome.refused["pipe.txt"] == "is not a regular file"


async def test_a_link_to_a_file_that_the_run_wrote_is_read_and_no_other_link(tmp_path: Path) -> None:
    script = """
mkdir -p runs/1 other; echo one > runs/1/a.json; ln -s 1 runs/latest
ln -s runs/1/a.json near; ln -s "$PWD/runs/1/a.json" whole; ln -s ../near other/far; ln -s other/far chain
ln -s /etc/passwd out; ln -s ../../etc/passwd climbs; ln -s self self; ln -s runs folder; ln -s nothing lost
ln -s runs/latest/a.json through; ln -s /workspace-other/a.json beside; mkfifo pipe; ln -s pipe piped
ln -s ../workspace/runs/1/a.json returns; truncate -s 9M large; ln -s large enlarged
"""
    names = ["near", "whole", "other/far", "chain", "through"]
    refused = ["out", "climbs", "self", "folder", "lost", "beside", "piped", "returns"]
    outcome = await run_confined(
        Confinement(workspace=tmp_path, limits=SandboxLimits(file_size_mb=64, disk_mb=8)),
        ["sh", "-c", script],
        collect=[*names, *refused, "enlarged"],
        target_folder=tmp_path / "into",
    )
    assert outcome.returncode == 0
    assert {name: place.read_bytes() for name, place in outcome.saved.items()} == dict.fromkeys(
        names, b"one\n"
    )
    assert {name: outcome.refused.get(name) for name in refused} == dict.fromkeys(
        refused, "is a symbolic link"
    )
    assert "is too large" in outcome.refused["enlarged"]


async def test_a_file_too_large_to_collect_is_named() -> None:
    limits = SandboxLimits(file_size_mb=64, disk_mb=8)
    outcome = await run_confined(
        Confinement(limits=limits), ["truncate", "-s", "9M", "sparse"], collect=["sparse", "*"]
    )
    assert outcome.refused == {"sparse": "is too large: 9,437,184 bytes, at most 8,388,608 are allowed"}


@pytest.mark.parametrize("pattern", ["/etc/passwd", "../x", "a/../../x", ""])
async def test_a_pattern_outside_the_workspace_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="below the workspace"):
        await run_confined(PLAIN, ["true"], collect=[pattern])


names = st.text(string.ascii_letters + string.digits + " ._-é", min_size=1, max_size=12).filter(
    lambda name: name.strip(".") != ""
)


@given(st.dictionaries(st.tuples(names, names), st.binary(max_size=200), min_size=1, max_size=6))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_in_the_workspace_can_be_collected(contents: dict[tuple[str, str], bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for (directory, name), content in contents.items():
            path = Path(folder, directory, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        outcome = asyncio.run(run_confined(Confinement(workspace=Path(folder)), ["true"], collect=["**"]))
    assert outcome.files == {"/".join(path): content for path, content in contents.items()}
    assert outcome.refused == {}


async def test_cancelling_kills_the_sandbox_and_leaves_no_descriptor() -> None:
    await run_confined(PLAIN, ["true"])
    before = open_descriptors()
    task = asyncio.create_task(run_confined(PLAIN, ["sleep", "60"]))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert open_descriptors() == before


async def test_many_at_once() -> None:
    commands = [run_confined(PLAIN, ["sh", "-c", f"echo {number}; exit {number}"]) for number in range(12)]
    outcomes = await asyncio.gather(*commands)
    assert [(outcome.returncode, int(outcome.stdout)) for outcome in outcomes] == [(n, n) for n in range(12)]


QUESTIONS = """
import json, sys
hidden = open("/workspace/hidden").read()
right = 0
for letter in hidden:
    print(json.dumps({"prefix": letter}), flush=True)
    right += json.loads(sys.stdin.readline())["answer"] == letter.upper()
open("score", "w").write(str(right))
"""
ANSWERS = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"answer": json.loads(line)["prefix"].upper()}), flush=True)
"""


async def test_two_sandboxes_converse(tmp_path: Path) -> None:
    (tmp_path / "hidden").write_text("abcdef" * 50)
    trusted = Confinement(workspace=tmp_path)
    await run_confined(PLAIN, ["true"])
    before = open_descriptors()
    first, second = await converse(
        trusted, ["python3", "-c", QUESTIONS], PLAIN, ["python3", "-c", ANSWERS], collect=["score"]
    )
    assert (first.returncode, first.files) == (0, {"score": b"300"})
    assert second.files == {}
    assert open_descriptors() == before
    assert b"hidden" not in (await run_confined(PLAIN, ["ls", "/workspace"])).stdout


async def test_the_untrusted_side_cannot_hold_the_conversation_up() -> None:
    trusted = Confinement(limits=SandboxLimits(wall_seconds=1))
    first, second = await converse(trusted, ["cat"], PLAIN, ["sleep", "60"], collect=[])
    assert (first.timed_out, second.returncode) == (True, 137)
    ended, flooded = await converse(
        PLAIN, ["sh", "-c", "head -c 5000000 > /dev/null"], PLAIN, ["cat", "/dev/zero"], collect=[]
    )
    assert ended.returncode == 0
    assert flooded.truncated
    assert flooded.exceeded is None


async def test_when_the_untrusted_side_ends_the_trusted_side_hears_it(tmp_path: Path) -> None:
    first, second = await converse(
        PLAIN, ["sh", "-c", "cat > heard"], PLAIN, ["sh", "-c", "echo last words; exit 5"], collect=["heard"]
    )
    assert first.files == {"heard": b"last words\n"}
    assert second.returncode in (5, 137)


async def test_a_file_of_holes_goes_to_disk_as_holes_and_never_into_memory(tmp_path: Path) -> None:
    script = "truncate -s 300M a.bin; printf end >> a.bin; truncate -s 200M b.bin; printf small > c.txt"
    into = tmp_path / "saved"
    limits = SandboxLimits(disk_mb=400, file_size_mb=400)
    outcome = await run_confined(
        Confinement(workspace=tmp_path, limits=limits),
        ["/bin/bash", "-c", script],
        collect=["*.bin", "c.txt"],
        target_folder=into,
    )
    assert outcome.files == {}
    assert outcome.saved["c.txt"].read_bytes() == b"small"
    whole = outcome.saved["a.bin"]
    assert whole.stat().st_size == (300 << 20) + 3
    assert whole.stat().st_blocks * 512 < 1 << 20
    with whole.open("rb") as file:
        file.seek(-5, 2)
        assert file.read() == b"\0\0end"
    assert "at most" in outcome.refused["b.bin"]


ASKS_FOR_FRESH = """
import os, sys
token = bytes.fromhex(sys.argv[1])
heard = []
for question in (b"1\\n", b"2\\n", token, b"3\\n", token[:9] + b"\\n", token, b"4\\n"):
    os.write(1, question)
    line = sys.stdin.buffer.readline()
    while question == token and line != token + b"\\n":
        line = sys.stdin.buffer.readline()
    heard.append("fresh" if question == token else line.decode("latin-1").strip())
open("heard", "w").write(",".join(heard))
"""
COUNTS = """
import os, sys
print = lambda *words: os.write(1, (" ".join(map(str, words)) + "\\n").encode())
open("/tmp/seen", "a")
for number, line in enumerate(sys.stdin.buffer, 1):
    open("/tmp/seen", "a").write("x")
    print(number, len(open("/tmp/seen").read()), len(line))
    if number == 2:
        os.write(1, b"more than was asked" * 1000)
"""


async def test_a_fresh_server_remembers_nothing_of_the_one_before() -> None:
    token = b"\x02fresh-server-0123456789"
    before = open_descriptors()
    first, second = await converse(
        PLAIN,
        ["python3", "-c", ASKS_FOR_FRESH, token.hex()],
        PLAIN,
        ["python3", "-c", COUNTS],
        collect=["heard"],
        restart_token=token,
    )
    assert first.files == {"heard": b"1 1 2,2 2 2,fresh,1 1 2,2 2 10,fresh,1 1 2"}
    assert (first.returncode, second.exceeded) == (0, None)
    assert open_descriptors() == before


async def test_a_server_beyond_its_limit_ends_and_the_trusted_side_goes_on_to_its_own_end() -> None:
    first, second = await converse(
        PLAIN,
        ["sh", "-c", "cat > /dev/null; echo over > heard"],
        Confinement(limits=SandboxLimits(cpu_seconds=1)),
        ["python3", "-c", "while True: pass"],
        collect=["heard"],
    )
    assert (first.returncode, first.files) == (0, {"heard": b"over\n"})
    assert second.exceeded == "cpu"
