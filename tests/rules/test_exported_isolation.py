"""As root, the exported verifier keeps what was handed in apart: from itself, the solution and the reward."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from uuid import uuid4

import pytest

from assay.exported.bench import copy
from assay.exported.users import UntrustedUser, give_folder, untrusted_users
from assay.tasks import Task, save_task
from assay.tasks.files import write_tree
from tests.rules.test_exported import served_challenge
from tests.tasks.examples import GOLD, masked_task
from tests.tasks.verifier_command import OPEN_PYTHON, other_users_can_start

needs_root = pytest.mark.skipif(
    not other_users_can_start(OPEN_PYTHON),
    reason=f"only root, with {OPEN_PYTHON}, can run a command as another user",
)


@pytest.fixture
def notes(open_folder: Path) -> Path:
    """A folder into which every user can write."""
    path = open_folder / "notes"
    path.mkdir()
    path.chmod(0o777)
    return path


def verify(
    task: Task,
    files: dict[str, bytes],
    folder: Path,
    python: str = OPEN_PYTHON,
    mode: int = 0o777,
    path: str = os.defpath,
) -> tuple[dict[str, float], str]:
    """The rewards, and what the verifier prints; it runs as root, with no option."""
    save_task(task, folder / "task")
    write_tree({**task.workspace, **files}, folder / "workspace")
    tests, reward = folder / "task" / "tests", folder / "logs" / "reward.json"
    reward.parent.mkdir(exist_ok=True)
    reward.parent.chmod(mode)
    command = [python, "-I", *map(str, (tests / "verify.py", folder / "workspace", tests, reward))]
    done = subprocess.run(command, check=True, env={"PATH": path}, stderr=subprocess.PIPE, timeout=120)
    return json.loads(reward.read_text()), done.stderr.decode()


def running_threads(user: int) -> list[Path]:
    """The threads of a user that run, without those that have ended and that nobody has asked for."""
    running = []
    for thread in Path("/proc").glob("[0-9]*/task/[0-9]*"):
        with suppress(OSError):
            status = (thread / "status").read_text()
            if f"Uid:\t{user}\t" in status and "State:\tZ" not in status:
                running.append(thread)
    return running


STRAY = """
import ctypes, os, threading, time
if os.fork() == 0:
    os.setsid()
    def watch():
        end = time.time() + 20
        while time.time() < end:
            for name in os.listdir("/proc"):
                try:
                    source = open(f"/proc/{{name}}/cwd/steps.py").read()
                except OSError:
                    continue
                if "# the " + "solution" in source:
                    open({notes!r} + "/solution", "w").write(source)
            time.sleep(0.002)
        os._exit(0)
    threading.Thread(target=watch).start()
    time.sleep(0.05)
    open({notes!r} + "/" + str(os.getuid()), "w").close()
    ctypes.CDLL(None).pthread_exit(None)
time.sleep(0.4)
"""


@needs_root
def test_a_process_without_its_first_thread_is_ended_and_sees_no_solution(
    open_folder: Path, notes: Path
) -> None:
    task = masked_task(variations=[{"name": "new", "fresh": True}])
    task = task.model_copy(update={"solution": {"files/steps.py": GOLD + b"# the solution\n"}})
    stray = STRAY.format(notes=str(notes)).encode()
    rewards, _ = verify(task, {"steps.py": GOLD + stray}, open_folder)
    assert rewards["reward"] == 1.0
    assert not (notes / "solution").exists()
    [user] = [int(path.name) for path in notes.iterdir()]
    assert running_threads(user) == []


STORM = """
import os, time
end = time.time() + 6
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        while time.time() < end:
            if os.fork():
                os._exit(0)
        os._exit(0)
"""


@pytest.mark.long
@needs_root
def test_processes_that_start_others_without_end_are_ended(open_folder: Path, notes: Path) -> None:
    note = f"open({str(notes)!r} + '/' + str(os.getuid()), 'w').close()\n"
    storm = (STORM + note).encode()
    rewards, _ = verify(masked_task(variations=[]), {"steps.py": GOLD + storm}, open_folder)
    assert rewards["reward"] == 1.0
    [user] = [int(path.name) for path in notes.iterdir()]
    assert running_threads(user) == []


@needs_root
def test_the_solution_runs_as_another_user_than_what_was_handed_in(open_folder: Path, notes: Path) -> None:
    users = notes / "users"
    users.touch()
    users.chmod(0o666)

    def noting(name: str) -> bytes:
        return GOLD + f"import os\nprint({name!r}, os.getuid(), file=open({str(users)!r}, 'a'))\n".encode()

    task = masked_task(variations=[{"name": "new", "fresh": True}])
    task = task.model_copy(update={"solution": {"files/steps.py": noting("solution")}})
    rewards, _ = verify(task, {"steps.py": noting("submission")}, open_folder)
    assert rewards["reward"] == 1.0
    ran_as = dict(line.split() for line in users.read_text().splitlines())
    assert len({*ran_as.values(), "0"}) == 3


@needs_root
def test_where_no_other_user_can_start_python_nothing_is_decided(open_folder: Path) -> None:
    private = open_folder / "private"
    private.mkdir(mode=0o700)
    (private / "python3").symlink_to(OPEN_PYTHON)
    task = masked_task()
    rewards, printed = verify(task, task.gold_files, open_folder, str(private / "python3"))
    assert rewards == {"reward": 0.0, "unknown": 1.0, "integrity.startup": 1.0}
    assert printed.startswith(f"no reward: another user cannot start {private / 'python3'}")
    verdicts = (open_folder / "logs" / "verdicts.json").read_text()
    assert "could change its own reward" in verdicts


@needs_root
def test_where_no_other_user_can_enter_the_folder_of_the_workspace_nothing_is_decided(
    open_folder: Path,
) -> None:
    private = open_folder / "private"
    private.mkdir(mode=0o700)
    task = masked_task()
    rewards, printed = verify(task, task.gold_files, private)
    assert rewards == {"reward": 0.0, "unknown": 1.0, "integrity.startup": 1.0}
    assert printed.startswith(f"no reward: another user cannot enter {private}")


@needs_root
@pytest.mark.parametrize("command", ["python3 run.py", "cd . && python3 run.py", "bash run.sh"])
def test_where_another_user_finds_another_python_nothing_is_decided(command: str, open_folder: Path) -> None:
    private = open_folder / "private"
    private.mkdir(mode=0o700)
    (private / "python3").symlink_to(OPEN_PYTHON)
    task = masked_task(run={"command": command, "results": "results.json"})
    files = {**task.gold_files, "run.sh": b"python3 run.py\n"}
    rewards, printed = verify(task, files, open_folder, path=f"{private}:{os.defpath}")
    assert rewards == {"reward": 0.0, "unknown": 1.0, "integrity.startup": 1.0}
    assert printed.startswith(f"no reward: another user cannot start {private / 'python3'}")
    assert "run the verifier with a PATH on which every user finds python3" in printed


@needs_root
def test_where_there_is_no_python_of_the_name_that_the_task_uses_nothing_is_decided(
    open_folder: Path,
) -> None:
    task = masked_task(run={"command": "python3.0 run.py", "results": "results.json"})
    rewards, printed = verify(task, task.gold_files, open_folder)
    assert rewards == {"reward": 0.0, "unknown": 1.0, "integrity.startup": 1.0}
    assert printed.startswith("no reward: there is no program python3.0 on PATH")


@needs_root
def test_what_was_handed_in_cannot_write_the_reward_although_its_folder_is_open(open_folder: Path) -> None:
    forged = open_folder / "logs" / "reward.json"
    forging = f"import os\nos.symlink('/dev/null', {str(forged)!r})\n"
    rewards, _ = verify(masked_task(variations=[]), {"steps.py": GOLD + forging.encode()}, open_folder)
    assert rewards["reward"] == 0.0
    assert forged.parent.stat().st_mode & 0o777 == 0o777


FORGING = """
import contextlib, os
os.chdir({folder!r})
for name in ("reward.json", "reward.txt"):
    with contextlib.suppress(OSError), open(name, "w") as file:
        file.write("1")
with contextlib.suppress(OSError):
    os.mkdir("verdicts.json")
os._exit(1)
"""


@needs_root
@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_only_the_verifier_leaves_files_beside_the_reward(open_folder: Path, mode: int) -> None:
    logs = open_folder / "logs"
    logs.mkdir()
    (logs / "reward.txt").write_text("1")
    forging = FORGING.format(folder=str(logs)).encode()
    rewards, _ = verify(masked_task(variations=[]), {"steps.py": forging}, open_folder, mode=mode)
    assert rewards["reward"] == 0.0
    assert sorted(path.name for path in logs.iterdir() if path.is_file()) == ["reward.json", "verdicts.json"]
    assert logs.stat().st_mode & 0o7777 == mode


@needs_root
def test_a_folder_is_given_away_without_what_its_links_lead_to(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "link").symlink_to(outside)
    give_folder(folder, UntrustedUser(64000, 64001))
    assert outside.stat().st_uid == 0
    owners = {path.lstat().st_uid for path in (folder, folder / "inner", folder / "inner" / "link")}
    assert owners == {64000}


def test_a_file_that_becomes_a_link_is_not_copied(tmp_path: Path) -> None:
    source, target, secret = tmp_path / "source", tmp_path / "target", tmp_path / "secret"
    secret.write_text("secret")
    names = [f"{number:03}.bin" for number in range(100)]
    write_tree(dict.fromkeys(names, bytes(1 << 18)), source)

    def put_links() -> None:
        while not (target.is_dir() and any(target.iterdir())):
            pass
        for name in (*names, *reversed(names)):
            (source / f"{name}.link").symlink_to(secret)
            (source / f"{name}.link").replace(source / name)

    changing = threading.Thread(target=put_links)
    changing.start()
    copy(source, target, names)
    changing.join()
    assert secret.read_bytes() not in {path.read_bytes() for path in target.iterdir()}


SHARED_MEMORY = """
import ctypes, struct
library = ctypes.CDLL(None)
library.shmget({first}, 4096, 0o1666)
given_away = library.shmget({second}, 4096, 0o1666)
description = ctypes.create_string_buffer(256)
library.shmctl(given_away, 2, description)
struct.pack_into("i", description, 4, 0)
assert library.shmctl(given_away, 1, description) == 0
"""
"""Makes two shared memories and gives the second one to root."""


@needs_root
def test_a_build_leaves_nothing_for_the_server_outside_its_artefacts(open_folder: Path) -> None:
    name, key = f"assay-{uuid4().hex}", uuid4().int % 2**30
    places = [f"/var/tmp/{name}", f"/dev/shm/{name}", f"/tmp/{name}/deeper"]
    lines = "".join(f"mkdir -p $(dirname {place}); echo kept > {place}\n" for place in places)
    shared = f"python3 -c '{SHARED_MEMORY.format(first=key, second=key + 1)}'\n"
    task = served_challenge("python3 serve.py")
    build = task.gold_files["build.sh"] + lines.encode() + f"chmod -R a+rwX /tmp/{name}\n{shared}".encode()
    serve = f"""import ctypes, os, sys
kept = [place for place in {places!r} + [os.path.join("..", "..", "work", "build")] if os.path.exists(place)]
kept += [key for key in ({key}, {key + 1}) if ctypes.CDLL(None).shmget(key, 4096, 0o444) >= 0]
for line in sys.stdin:
    print(kept, flush=True)
open("/var/tmp/{name}", "w")
"""
    rewards, _ = verify(task, {**task.gold_files, "build.sh": build, "serve.py": serve.encode()}, open_folder)
    assert rewards["execution.build"] == 1.0
    verdicts = json.loads((open_folder / "logs" / "verdicts.json").read_text())
    assert {verdict["item"]: verdict["evidence"] for verdict in verdicts}["rule.same"] == str(["[]"] * 4)
    assert not [place for place in places if Path(place).exists()]


HELD_APART = b"""import os, sys, time
ready, done = os.pipe()
if os.fork() == 0:
    os.setsid()
    hoard = bytearray(200_000_000)
    os.write(done, b"x")
    time.sleep(60)
os.read(ready, 1)
for line in sys.stdin:
    print(int(line) + 1, flush=True)
"""


REPLACED = b"""import os, sys
if len(sys.argv) == 1:
    hoard = bytearray(b"x") * 200_000_000
    os.execvp("python3", ["python3", "serve.py", "again"])
for line in sys.stdin:
    print(int(line) + 1, flush=True)
"""
LEFT_BY_A_CHILD = b"""import os, sys, time
if os.fork() == 0:
    if os.fork() == 0:
        hoard = bytearray(b"x") * 200_000_000
    os._exit(0)
os.wait()
time.sleep(0.5)
for line in sys.stdin:
    print(int(line) + 1, flush=True)
"""
IGNORED = b"""import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
ready, done = os.pipe()
if os.fork() == 0:
    hoard = bytearray(b"x") * 200_000_000
    time.sleep(2)
    os._exit(0)
os.close(done)
os.read(ready, 1)
for line in sys.stdin:
    print(int(line) + 1, flush=True)
"""
SHARED = b"""import os, sys, time
hoard = bytearray(b"x") * 60_000_000
if os.fork() == 0:
    time.sleep(1)
    os._exit(0)
os.wait()
for line in sys.stdin:
    print(int(line) + 1, flush=True)
"""


@needs_root
@pytest.mark.parametrize(
    ("serve", "status"),
    [(REPLACED, "unmet"), (LEFT_BY_A_CHILD, "unmet"), (IGNORED, "unmet"), (SHARED, "met")],
    ids=["replaced itself", "left by a child", "nobody waits", "shared by two"],
)
def test_memory_that_a_server_no_longer_has_counts_and_shared_memory_counts_once(
    serve: bytes, status: str, open_folder: Path
) -> None:
    task = served_challenge("python3 serve.py")
    verify(task, {**task.gold_files, "serve.py": serve}, open_folder)
    verdicts = json.loads((open_folder / "logs" / "verdicts.json").read_text())
    (limits,) = [verdict for verdict in verdicts if verdict["item"] == "rule.serving-limits"]
    assert limits["status"] == status, limits["evidence"]


@needs_root
def test_memory_of_a_process_that_left_its_session_counts(open_folder: Path) -> None:
    task = served_challenge("python3 serve.py")
    verify(task, {**task.gold_files, "serve.py": HELD_APART}, open_folder)
    verdicts = json.loads((open_folder / "logs" / "verdicts.json").read_text())
    (limits,) = [verdict for verdict in verdicts if verdict["item"] == "rule.serving-limits"]
    assert (limits["status"], "memory" in limits["evidence"]) == ("unmet", True)


@needs_root
def test_verifiers_that_run_at_the_same_time_share_no_users() -> None:
    program = (
        "from assay.exported.users import untrusted_users\n"
        "print(untrusted_users()['submission'].number, flush=True)\n"
        "input()"
    )
    with ExitStack() as stack:
        verifiers = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            )
            for _ in range(4)
        ]
        numbers = [verifier.stdout.readline() for verifier in verifiers if verifier.stdout]
        own = untrusted_users()["submission"].number
        again = untrusted_users()["submission"].number
        for verifier in verifiers:
            verifier.communicate(b"\n")
    assert len({*numbers, own, again}) == 6
