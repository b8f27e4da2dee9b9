"""Nothing inside can end the sandbox's first process, change it, or keep it from answering."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource

import pytest

from assay.errors import BadRequest
from assay.sandbox import Box, Confinement, SandboxLimits
from assay.sandbox.bubblewrap.seccomp import filter_program

pytestmark = pytest.mark.anyio
filtered = pytest.mark.skipif(filter_program() is None, reason="libseccomp is not installed")

REACH = """
import ctypes, json, os, resource, sys
libc = ctypes.CDLL(None, use_errno=True)
numbers = json.loads(sys.argv[1])
room = ctypes.create_string_buffer(256)
def call(name, *arguments):
    ctypes.set_errno(0)
    given = [each if isinstance(each, ctypes.Array) else ctypes.c_ulong(each) for each in arguments]
    return ctypes.get_errno() if libc.syscall(numbers[name], *given) == -1 else 0
high = 1 << 32
print(json.dumps({
    "limits": call("prlimit64", 1, 7, room, 0),
    "limits, with bits that the kernel drops": call("prlimit64", high | 1, 7, room, 0),
    "scheduler": call("sched_setscheduler", 1, 5, room),
    "parameters": call("sched_setparam", 1, room),
    "attributes": call("sched_setattr", 1, room, 0),
    "processors": call("sched_setaffinity", 1, 128, room),
    "processors, with bits that the kernel drops": call("sched_setaffinity", high | 1, 128, room),
    "priority": call("setpriority", 0, 1, 19),
    "priority of its group": call("setpriority", 1, 1, 19),
    "priority of all": call("setpriority", 2, 0, 19),
    "priority of the user": call("setpriority", 2, os.getuid(), 19),
    "input and output": call("ioprio_set", 1, 1, 3 << 13),
    "input and output of its group": call("ioprio_set", 2, 1, 3 << 13),
    "input and output of the user": call("ioprio_set", 3, os.getuid(), 3 << 13),
    "memory": call("process_vm_writev", 1, room, 1, room, 1, 0),
    "tracing": call("ptrace", 16, 1, 0, 0),
}))
"""
OWN = """
import os, resource
resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE, resource.prlimit(0, resource.RLIMIT_NOFILE))
os.sched_setaffinity(os.getpid(), os.sched_getaffinity(0))
nice = os.getpriority(os.PRIO_PROCESS, 0)
os.setpriority(os.PRIO_PROCESS, 0, nice)
os.setpriority(os.PRIO_PROCESS, os.getpid(), nice + 1)
child = os.fork()
if child == 0:
    os._exit(0)
resource.prlimit(child, resource.RLIMIT_NOFILE, (64, 64))
print("served")
"""


def numbers() -> str:
    import pyseccomp

    named = "prlimit64 sched_setscheduler sched_setparam sched_setattr sched_setaffinity setpriority"
    named += " ioprio_set process_vm_writev ptrace"
    arch = pyseccomp.system_arch()
    return json.dumps({name: int(pyseccomp.resolve_syscall(arch, name)) for name in named.split()})


@filtered
async def test_it_cannot_be_limited_slowed_moved_or_traced() -> None:
    async with Box(Confinement()) as box:
        outcome = await box.exec(["python3", "-c", REACH, numbers()])
        answers = json.loads(outcome.stdout)
        assert answers == dict.fromkeys(answers, 1), "every call is refused with EPERM"
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"


@filtered
async def test_a_process_still_changes_itself_and_its_children() -> None:
    async with Box(Confinement()) as box:
        outcome = await box.exec(["python3", "-c", OWN])
        assert (outcome.stdout, outcome.stderr) == (b"served\n", b"")


@filtered
async def test_the_command_of_the_attack_is_refused_and_the_sandbox_serves() -> None:
    async with Box(Confinement()) as box:
        outcome = await box.exec(["prlimit", "--pid", "1", "--nofile=4:4"])
        assert outcome.returncode != 0
        assert (await box.exec(["echo", "hi"])).stdout == b"hi\n"


async def test_no_file_of_it_is_there_to_write() -> None:
    script = "ls -A /proc/1; for file in oom_score_adj autogroup coredump_filter clear_refs comm mem; do "
    script += "echo 1 > /proc/1/$file; done; echo 1 > /proc/self/root/proc/1/oom_score_adj; echo gone on"
    async with Box(Confinement()) as box:
        outcome = await box.exec(["sh", "-c", script])
        assert outcome.stdout == b"gone on\n"
        assert outcome.stderr.count(b"cannot create") == 7


async def test_no_signal_reaches_it() -> None:
    sending = "import os\nfor number in range(1, 65):\n    os.kill(1, number)\n"
    sending += "descriptor = os.pidfd_open(1)\n"
    sending += "import signal\nfor number in range(1, 65):\n"
    sending += "    signal.pidfd_send_signal(descriptor, number)\n"
    async with Box(Confinement()) as box:
        outcome = await box.exec(["python3", "-c", sending])
        assert outcome.returncode == 0, outcome.stderr
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"


STOPPER = """
import os, signal, sys
if os.fork():
    sys.exit()
os.setsid()
while os.getppid() != 1:
    pass
open("stopping", "w").close()
while not os.path.exists("enough"):
    try:
        os.kill(-1, signal.SIGSTOP)
    except OSError:
        pass
"""


async def test_whoever_stops_every_new_process_does_not_stop_the_sandbox() -> None:
    async with Box(Confinement(limits=SandboxLimits(wall_seconds=30))) as box:
        await box.exec(["python3", "-c", STOPPER])
        for _ in range(100):
            with contextlib.suppress(FileNotFoundError):
                await box.read_file("stopping")
                break
            await asyncio.sleep(0.05)
        stopped = [await box.exec(["true"], timeout=0.3) for _ in range(5)]
        assert any(outcome.timed_out for outcome in stopped), "the attack does stop commands"
        assert await box.read_file("stopping") == b""
        await box.kill_processes()
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"


ODD = [
    (["sh", "-c", "echo a\0b"], {}, "NUL"),
    (["sh", "-c", "echo \ud800"], {}, "half a character"),
    (["\0"], {}, "NUL"),
    ([], {}, "empty"),
    (["true"], {"cwd": "a\0b"}, "NUL"),
    (["true"], {"cwd": "\udfff"}, "half a character"),
    (["true"], {"variables": {"A\0": "b"}}, "NUL"),
    (["true"], {"variables": {"A": "\ud800"}}, "half a character"),
    (["true"], {"variables": {"A=B": "c"}}, "contains '='"),
    (["true"], {"variables": {"": "c"}}, "empty"),
    (["echo", "x" * (9 << 20)], {}, "more than any system accepts"),
]


@pytest.mark.parametrize(("command", "more", "words"), ODD)
async def test_a_command_that_no_system_could_start_is_refused(
    command: list[str], more: dict[str, object], words: str
) -> None:
    async with Box(Confinement()) as box:
        with pytest.raises(BadRequest, match=words):
            await box.exec(command, **more)  # type: ignore[arg-type]
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "x" * 5000])
async def test_a_path_that_no_file_can_have_is_refused(path: str) -> None:
    async with Box(Confinement()) as box:
        with pytest.raises(BadRequest):
            await box.read_file(path)
        with pytest.raises(BadRequest):
            await box.write_file(path, b"x")
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"


async def test_what_cannot_be_started_says_why() -> None:
    async with Box(Confinement()) as box:
        long = await box.exec(["echo", "x" * (3 << 20)])
        assert (long.returncode, long.stderr) == (126, b"echo: Argument list too long\n")
        assert (await box.exec([""])).returncode == 127
        assert (await box.exec(["x" * 300])).returncode == 126
        nowhere = await box.exec(["true"], cwd="no/such/folder")
        assert (nowhere.returncode, nowhere.stderr) == (127, b"/workspace/no/such/folder: not found\n")
        await box.write_file("words", b"no program")
        await box.exec(["chmod", "+x", "words"])
        assert (await box.exec(["/workspace/words"])).returncode == 126
        assert (await box.exec(["echo", "a\udc80b"])).stdout == b"a\x80b\n", "bytes can still be passed"
        assert (await box.exec(["wc", "-c"], input=b"x" * (3 << 20))).stdout == b"3145728\n"


async def test_without_room_for_a_process_the_answer_is_an_error() -> None:
    async with Box(Confinement(limits=SandboxLimits(processes=8))) as box:
        await box.exec(["sh", "-c", "for each in 1 2 3 4 5 6 7 8 9; do sleep 60 & done"], timeout=5)
        full = await box.exec(["true"])
        assert full.returncode in (0, 126)
        await box.kill_processes()
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"


async def test_killing_and_ending_at_once_is_survived() -> None:
    async with Box(Confinement()) as box:
        for number in range(40):
            await box.exec(["sleep", "0.02"], timeout=0.02 + number * 0.0002)
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"


async def test_descriptors_of_the_resident_process_do_not_pass_to_commands() -> None:
    async with Box(Confinement(watch=True)) as box:
        outcome = await box.exec(["sh", "-c", "ls /proc/self/fd"])
        assert outcome.stdout.split() == [b"0", b"1", b"2", b"3"], "3 is the folder that is listed"


async def test_descriptors_of_a_harness_with_very_many_do_not_pass_to_commands() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_100)]
    try:
        async with Box(Confinement()) as box:
            outcome = await box.exec(["sh", "-c", "ls /proc/self/fd"])
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (max(soft, resource.getrlimit(resource.RLIMIT_NOFILE)[0]), hard)
        )
    assert outcome.stdout.split() == [b"0", b"1", b"2", b"3"], "3 is the folder that is listed"
