"""What a command of the exported verifier can read: files that count, nothing that an earlier one left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

from assay.exported import users
from assay.exported.leftovers import attributes, remove_leftovers
from assay.tasks import Task, load_task, save_task
from assay.tasks.files import write_tree
from assay.tasks.template import TEMPLATES
from tests.rules.test_exported import served_challenge
from tests.tasks.examples import GOLD, RUN, masked_task
from tests.tasks.verifier_command import OPEN_PYTHON, other_users_can_start

pytestmark = pytest.mark.skipif(
    not other_users_can_start(OPEN_PYTHON),
    reason=f"only root, with {OPEN_PYTHON}, can run a command as another user",
)


def verifier(task: Task, files: dict[str, bytes], folder: Path) -> list[str]:
    """The command of the verifier, with its files in place as Harbor has them."""
    save_task(task, folder / "task")
    write_tree({**task.workspace, **files}, folder / "workspace")
    tests, reward = folder / "task" / "tests", folder / "logs" / "verifier" / "reward.json"
    reward.parent.mkdir(parents=True, exist_ok=True)
    return [OPEN_PYTHON, "-I", *map(str, (tests / "verify.py", folder / "workspace", tests, reward))]


def rewards(folder: Path) -> dict[str, float]:
    read: dict[str, float] = json.loads((folder / "logs" / "verifier" / "reward.json").read_text())
    return read


def verdict(folder: Path, item: str) -> dict[str, str]:
    verdicts = json.loads((folder / "logs" / "verifier" / "verdicts.json").read_text())
    [found] = [found for found in verdicts if found["item"] == item]
    return dict(found)


def verify(task: Task, files: dict[str, bytes], folder: Path, *before: str) -> dict[str, float]:
    command = [*before, *verifier(task, files, folder)]
    subprocess.run(command, check=True, env={"PATH": os.defpath}, timeout=300)
    return rewards(folder)


def found_by_the_server(build: str, look: str, folder: Path, *before: str) -> list[str]:
    """What each of four answers of servers lists, after a build that also ran this Python program.

    The program of the server adds what it finds to the list `kept`.
    """
    task = served_challenge("python3 serve.py")
    build_sh = task.gold_files["build.sh"] + b"python3 leave.py\n"
    serve = f"import sys\nkept = []\n{look}\nfor line in sys.stdin:\n    print(kept, flush=True)\n"
    files = {"build.sh": build_sh, "leave.py": build.encode(), "serve.py": serve.encode()}
    assert verify(task, files, folder, *before)["execution.build"] == 1.0, verdict(folder, "execution.build")
    evidence: list[str] = json.loads(verdict(folder, "rule.same")["evidence"].replace("'", '"'))
    return evidence


NOTHING = ["[]"] * 4


def test_a_server_cannot_read_what_the_build_printed(open_folder: Path) -> None:
    # A folder that was not changed since then has nothing of this build: /tmp may hold very many files.
    mark, began = uuid4().hex, time.time() - 5
    look = f"""import os
def is_new(folder):
    try:
        return os.stat(folder).st_mtime > {began}
    except OSError:
        return False
for top in ("..", "../..", "/tmp"):
    for parent, folders, names in os.walk(top):
        folders[:] = [name for name in folders if is_new(os.path.join(parent, name))][:50]
        for name in (*names, "build.stderr", "build.stdout"):
            try:
                text = open(os.path.join(parent, name), "rb").read(100)
            except OSError:
                continue
            if {mark!r}.encode() in text:
                kept.append(os.path.join(parent, name))
        if parent.count("/") > 4:
            folders.clear()
"""
    leave = f"import sys\nfor out in (sys.stdout, sys.stderr):\n    print({mark!r}, file=out)\n"
    assert found_by_the_server(leave, look, open_folder) == NOTHING


KEYS = """import ctypes, os
libc = ctypes.CDLL(None)
add, control = {{"x86_64": (248, 250), "aarch64": (217, 219)}}[os.uname().machine]
name = {name!r}.encode()
"""


def test_keys_and_message_queues_of_a_build_are_gone_when_a_server_starts(open_folder: Path) -> None:
    common = KEYS.format(name=f"assay-{uuid4().hex}")
    leave = """
for keyring in (-3, -4, -5):
    libc.syscall(add, b"user", name, b"kept", 4, keyring)
libc.mq_open(b"/" + name, os.O_CREAT | os.O_RDWR, 0o666, None)
"""
    look = """
for keyring in (-3, -4, -5):
    if libc.syscall(control, 10, keyring, b"user", name, 0) > 0:
        kept.append(keyring)
if libc.mq_open(b"/" + name, os.O_RDWR) >= 0:
    kept.append("queue")
"""
    assert found_by_the_server(common + leave, common + look, open_folder) == NOTHING


def test_where_a_build_locks_its_keys_no_server_starts(open_folder: Path) -> None:
    common = KEYS.format(name=f"assay-{uuid4().hex}")
    leave = """
if libc.syscall(add, b"user", name, b"kept", 4, -4) > 0:
    libc.syscall(control, 5, -4, 0x000B0000)
else:
    open("no-keys", "w")
"""
    look = (
        "for keyring in (-4,):\n    kept.append(libc.syscall(control, 10, keyring, b'user', name, 0) > 0)\n"
    )
    task = served_challenge("python3 serve.py")
    serve = f"import sys\nkept = []\n{common}{look}for line in sys.stdin:\n    print(kept, flush=True)\n"
    build = task.gold_files["build.sh"] + b"python3 leave.py\n"
    files = {"build.sh": build, "leave.py": (common + leave).encode(), "serve.py": serve.encode()}
    verify(task, files, open_folder)
    verdicts = (open_folder / "logs" / "verifier" / "verdicts.json").read_text()
    assert "True" not in verdicts


@pytest.mark.long
def test_a_user_whose_keys_are_locked_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel keeps the keys of a user until the machine starts again."""
    monkeypatch.setattr(sys, "executable", OPEN_PYTHON)
    monkeypatch.setattr(users, "_is_taken", lambda number: False)
    first = users.untrusted_users()
    assert users.untrusted_users() == first
    locks = f"{KEYS.format(name='locked')}libc.syscall(control, 5, -4, 0x000B0000)\n"
    number = first["solution"].number
    subprocess.run(
        [OPEN_PYTHON, "-c", locks], user=number, group=number, extra_groups=[], cwd="/", check=True
    )
    assert users.untrusted_users() != first


DEEP = """import os
os.makedirs({start!r}, exist_ok=True)
os.chdir({start!r})
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
"""


@pytest.mark.long
def test_folders_that_python_cannot_remove_are_gone_too(open_folder: Path) -> None:
    start = f"/tmp/assay-{uuid4().hex}"
    look = f"import os\nkept += [{start!r}] if os.path.exists({start!r}) else []"
    assert found_by_the_server(DEEP.format(start=start), look, open_folder) == NOTHING


def test_a_run_that_leaves_such_folders_fails_and_the_workspace_comes_back(open_folder: Path) -> None:
    files = {"steps.py": GOLD + DEEP.format(start=".").encode()}
    assert verify(masked_task(), files, open_folder)["reward"] == 0.0
    assert verdict(open_folder, "execution.default")["owner"] == "agent"
    assert sorted(path.name for path in (open_folder / "workspace").iterdir()) == ["run.py", "steps.py"]


MARKS = """import os
os.utime(".", (12345, 12345))
try:
    os.setxattr(".", "user.kept", b"kept")
except OSError:
    pass
"""
LOOKS = """import os
kept += os.listxattr(".") + os.listdir(".")
kept = [name for name in kept if name not in ("serve.py", "made.json")]
if os.stat(".").st_mtime == 12345:
    kept.append("time")
"""


def test_nothing_stays_on_the_folder_itself(open_folder: Path) -> None:
    assert found_by_the_server(MARKS, LOOKS, open_folder) == NOTHING


def test_nothing_stays_on_a_folder_that_everybody_may_write_to(tmp_path: Path) -> None:
    os.setxattr(tmp_path, "user.own", b"1")
    before = {tmp_path: attributes(tmp_path)}
    for name in ("user.own", "user.kept"):
        os.setxattr(tmp_path, name, b"kept")
    remove_leftovers([], before)
    assert attributes(tmp_path) == {"user.own": b"1"}


def test_a_workspace_that_is_a_mount_point_is_emptied_for_each_command(open_folder: Path) -> None:
    workspace = open_folder / "workspace"
    mounted = f"""set -e
cp -a {workspace} {open_folder}/copy
mount -t tmpfs tmpfs {workspace}
cp -a {open_folder}/copy/. {workspace}
"$@"
ls {workspace} > {open_folder}/after
"""
    if subprocess.call(["unshare", "-m", "true"]) != 0:
        pytest.skip("no mount namespace can be made here")
    before = ("unshare", "-m", "bash", "-c", mounted, "bash")
    assert found_by_the_server(MARKS, LOOKS, open_folder, *before) == NOTHING
    assert (open_folder / "after").read_text().split() == ["build.sh", "leave.py", "serve.py"]


def test_files_that_do_not_count_cannot_be_read_while_what_was_handed_in_runs(open_folder: Path) -> None:
    workspace = open_folder / "workspace"
    spying = f"""
import os
for parent, _, names in os.walk({str(open_folder)!r}):
    for name in names:
        try:
            text = open(os.path.join(parent, name)).read()
        except OSError:
            continue
        assert "does not " + "count" not in text, (parent, name)
"""
    forged = RUN + b"# does not count\n"
    found = verify(masked_task(), {"steps.py": GOLD + spying.encode(), "run.py": forged}, open_folder)
    assert found["reward"] == 1.0
    assert (workspace / "run.py").read_bytes() == forged
    assert sorted(path.name for path in open_folder.iterdir()) == ["logs", "task", "workspace"]


def test_what_was_handed_in_runs_at_the_path_of_the_workspace(open_folder: Path) -> None:
    moving = f"\nimport os\nassert os.getcwd() == {str(open_folder / 'workspace')!r}\nos.chdir(os.getcwd())\n"
    found = verify(masked_task(), {"steps.py": GOLD + moving.encode()}, open_folder)
    assert found["reward"] == 1.0


def test_what_an_agent_published_beside_its_workspace_does_not_reach_a_run(open_folder: Path) -> None:
    published = open_folder / "logs" / "artifacts" / "weights.bin"
    published.parent.mkdir(parents=True)
    published.write_text("weights")
    reading = f"\nimport os\nassert not os.access({str(published)!r}, os.R_OK)\n"
    found = verify(masked_task(), {"steps.py": GOLD + reading.encode()}, open_folder)
    assert found["reward"] == 1.0
    assert published.parent.parent.stat().st_mode & 0o777 == 0o755


def test_a_workspace_that_is_a_link_is_not_graded(open_folder: Path) -> None:
    task = masked_task()
    command = verifier(task, task.gold_files, open_folder)
    (open_folder / "workspace").rename(open_folder / "elsewhere")
    (open_folder / "workspace").symlink_to("elsewhere")
    subprocess.run(command, check=True, env={"PATH": os.defpath}, timeout=300)
    assert rewards(open_folder)["reward"] == 0.0
    found = verdict(open_folder, "execution.default")
    assert (found["status"], found["owner"]) == ("unknown", "sandbox")
    assert "is a link" in found["evidence"]


def test_tests_inside_the_workspace_are_refused(open_folder: Path) -> None:
    task = masked_task()
    command = verifier(task, task.gold_files, open_folder)
    inside = open_folder / "workspace" / "tests"
    (open_folder / "task" / "tests").rename(inside)
    command = [part.replace(str(open_folder / "task" / "tests"), str(inside)) for part in command]
    subprocess.run(command, check=True, env={"PATH": os.defpath}, timeout=300)
    found = verdict(open_folder, "execution.default")
    assert (found["status"], found["owner"]) == ("unknown", "sandbox")


def test_a_verifier_that_is_stopped_puts_the_workspace_back(open_folder: Path) -> None:
    note = open_folder / "notes"
    note.mkdir()
    note.chmod(0o777)
    waiting = f"\nimport time\nopen({str(note / 'started')!r}, 'w').close()\ntime.sleep(600)\n".encode()
    run = {"command": "python3 run.py", "results": "results.json", "seconds": 600.0}
    command = verifier(masked_task(run=run), {"steps.py": GOLD + waiting}, open_folder)
    os.mkfifo(open_folder / "workspace" / "pipe")
    process = subprocess.Popen(command, env={"PATH": os.defpath})
    while not (note / "started").exists() and process.poll() is None:
        time.sleep(0.1)
    assert not (open_folder / "workspace" / "pipe").exists()
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 128 + signal.SIGTERM
    assert (open_folder / "workspace" / "steps.py").read_bytes() == GOLD + waiting
    assert (open_folder / "workspace" / "pipe").is_fifo()
    assert rewards(open_folder) == {"reward": 0.0}


@pytest.mark.parametrize("kind", ["masked", "challenge", pytest.param("experiment", marks=pytest.mark.long)])
def test_the_solution_of_each_template_earns_the_reward(kind: str, open_folder: Path) -> None:
    task = load_task(TEMPLATES / kind)
    (open_folder / "bin").mkdir()
    (open_folder / "bin" / "python").symlink_to(OPEN_PYTHON)
    before = ("env", f"PATH={open_folder / 'bin'}{os.pathsep}{os.defpath}")
    assert verify(task, task.gold_files, open_folder, *before)["reward"] == 1.0
