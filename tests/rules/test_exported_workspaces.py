"""Links, empty folders and odd files in a workspace: the exported verifier counts what grading counts."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.grading import grade_now
from assay.rules.handed_in import FILE_LIMIT
from assay.tasks import Task, TaskConfig, save_task
from assay.tasks.files import write_tree
from assay.workspace import task_environment
from assay.workspace.folder_submission import read_folder
from tests.tasks.verifier_command import verifier_command

RUN = b"""import json
from pathlib import Path
number = 2 * float(Path("INPUT").read_text())
Path("FOLDER/log.txt").write_text("done")
Path("results.json").write_text(json.dumps({"number": number}))
"""


def task() -> Task:
    table = {
        "id": "linked",
        "kind": "experiment",
        "run": {"command": "python run.py", "results": "results.json", "seconds": 20.0},
        "metrics": [{"name": "number", "path": "number", "absolute": 0.01}],
        "submission": {"required": ["run.py"]},
    }
    return Task(
        config=TaskConfig.model_validate({"task": {"name": "assay/linked"}, "metadata": {"assay": table}}),
        instruction="Write the number.\n",
        environment={"workspace/given/number.txt": b"1.25", "workspace/logs/readme.txt": b"Logs.\n"},
        solution={"files/run.py": b'open("results.json", "w").write(\'{"number": 2.5}\')\n'},
        tests={"results.json": b'{"default": {"number": [2.5, 2.5, 2.5]}}'},
    )


def both(folder: Path, make: Callable[[Path], None]) -> tuple[dict[str, str], dict[str, str], float]:
    """Item → status of the exported verifier and of grading, and the reward."""
    subject, workspace = task(), folder / "workspace"
    save_task(subject, folder / "task")
    write_tree(subject.workspace, workspace)
    make(workspace)
    submission = read_folder(workspace, subject.workspace, requested=["run.py"])
    graded: dict[str, str] = {
        verdict.item: verdict.status for verdict in grade_now(subject, submission).verdicts
    }
    tests, reward = folder / "task" / "tests", folder / "reward.json"
    python = task_environment(subject) / "bin" / "python"
    command = verifier_command(python, workspace, tests, reward)
    path = f"{python.parent}{os.pathsep}{os.defpath}"
    subprocess.run(command, check=True, env={"PATH": path}, timeout=300)
    verdicts = json.loads((folder / "verdicts.json").read_text())
    exported: dict[str, str] = {verdict["item"]: verdict["status"] for verdict in verdicts}
    return exported, graded, json.loads(reward.read_text())["reward"]


def write_run(workspace: Path, source: str = "given/number.txt", folder: str = "logs") -> None:
    text = RUN.replace(b"INPUT", source.encode()).replace(b"FOLDER", folder.encode())
    (workspace / "run.py").write_bytes(text)


def link_to_a_file(workspace: Path) -> None:
    write_run(workspace, "number")
    (workspace / "number").symlink_to("given/number.txt")


def link_to_a_folder(workspace: Path) -> None:
    write_run(workspace, "data/number.txt")
    (workspace / "data").symlink_to("given")


def absolute_link(workspace: Path) -> None:
    write_run(workspace, "data/number.txt")
    (workspace / "data").symlink_to(workspace / "given")


def chain_of_links(workspace: Path) -> None:
    write_run(workspace, "a/number.txt")
    (workspace / "deep").mkdir()
    (workspace / "a").symlink_to("deep/b")
    (workspace / "deep/b").symlink_to("../given")


def linked_program(workspace: Path) -> None:
    (workspace / "src").mkdir()
    write_run(workspace / "src")
    (workspace / "run.py").symlink_to("src/run.py")


def empty_folder(workspace: Path) -> None:
    write_run(workspace, folder="out/figures")
    (workspace / "out/figures").mkdir(parents=True)


def given_file_behind_a_link(workspace: Path) -> None:
    (workspace / "given").rename(workspace / "moved")
    (workspace / "given").symlink_to("moved")
    write_run(workspace)


def odd_files(workspace: Path) -> None:
    write_run(workspace)
    os.mkfifo(workspace / "pipe")
    server = socket.socket(socket.AF_UNIX)
    home = Path.cwd()
    os.chdir(workspace)  # a path of a socket has at most 107 bytes
    server.bind("socket")
    os.chdir(home)
    server.close()
    os.link(workspace / "run.py", workspace / "copy.py")
    (workspace / "run.py").chmod(0o444)
    (workspace / "-odd name\n\t'é.txt").write_bytes(b"\xef\xbb\xbfx\r\n")
    (workspace / "loop").symlink_to("loop")
    (workspace / "self").symlink_to(".")
    (workspace / "outside").symlink_to("/proc/self")
    (workspace / "gone").symlink_to("nowhere")


def folder_instead_of_a_given_file(workspace: Path) -> None:
    write_run(workspace)
    (workspace / "logs/readme.txt").unlink()
    (workspace / "logs/readme.txt").mkdir()
    (workspace / "logs/readme.txt/more.txt").write_text("more")


def folder_at_the_place_of_the_results(workspace: Path) -> None:
    write_run(workspace)
    (workspace / "results.json").mkdir()


HONEST = [
    folder_instead_of_a_given_file,
    folder_at_the_place_of_the_results,
    link_to_a_file,
    link_to_a_folder,
    absolute_link,
    chain_of_links,
    linked_program,
    empty_folder,
    given_file_behind_a_link,
    odd_files,
]


@pytest.mark.parametrize("make", HONEST, ids=lambda make: make.__name__)
def test_links_inside_and_empty_folders_are_handed_in(make: Callable[[Path], None], tmp_path: Path) -> None:
    exported, graded, reward = both(tmp_path, make)
    assert reward == 1.0
    assert exported["result.default.number"] == "met"
    if make is not absolute_link:  # in an attempt the workspace has another path
        assert {item: graded[item] for item in exported} == exported


NESTED = """import os, sys
os.chdir(sys.argv[1])
for _ in range(int(sys.argv[2])):
    os.mkdir(sys.argv[3])
    os.chdir(sys.argv[3])
open(sys.argv[4], "w").close()
"""


@pytest.mark.parametrize(("levels", "folder", "name"), [(1500, "a", "f.py"), (19, "b" * 200, "c" * 251)])
def test_a_path_that_is_too_long_is_left_out_and_all_else_is_graded(
    levels: int, folder: str, name: str, tmp_path: Path
) -> None:
    def make(workspace: Path) -> None:
        write_run(workspace)
        nested = [sys.executable, "-c", NESTED, str(workspace), str(levels), folder, name]
        subprocess.run(nested, check=True)
        (workspace / "link").symlink_to(folder)

    try:
        exported, graded, reward = both(tmp_path, make)
    finally:  # pytest cannot remove folders that are nested so deeply
        subprocess.run(["rm", "-rf", tmp_path / "workspace"], check=True)
    assert reward == 1.0
    assert {item: graded[item] for item in exported} == exported


def test_a_file_that_cannot_be_copied_ends_in_verdicts_and_the_folder_of_the_reward_is_open_again(
    tmp_path: Path,
) -> None:
    subject, workspace, logs = task(), tmp_path / "workspace", tmp_path / "logs"
    save_task(subject, tmp_path / "task")
    write_tree({**subject.workspace, **subject.gold_files, "large": b"x" * 2_000_000}, workspace)
    logs.mkdir()
    logs.chmod(0o777)
    tests, reward = tmp_path / "task" / "tests", logs / "reward.json"
    python = task_environment(subject) / "bin" / "python"
    limited = ["bash", "-c", 'ulimit -f 1000; exec "$@"', "bash"]
    command = [*limited, *verifier_command(python, workspace, tests, reward)]
    subprocess.run(command, check=True, env={"PATH": os.defpath}, timeout=300)
    verdicts = json.loads((logs / "verdicts.json").read_text())
    items = ["integrity.startup", "handed-in.run.py", "execution.default"]
    assert [(verdict["item"], verdict["status"]) for verdict in verdicts] == [(i, "unmet") for i in items]
    assert "File too large" in verdicts[0]["evidence"]
    assert json.loads(reward.read_text())["reward"] == 0.0
    assert logs.stat().st_mode & 0o777 == 0o777


def link_outside(workspace: Path) -> None:
    (workspace.parent / "outside.txt").write_text("1.25")
    write_run(workspace, "number")
    (workspace / "number").symlink_to(workspace.parent / "outside.txt")


def link_into_proc(workspace: Path) -> None:
    write_run(workspace, "root" + str(workspace / "given/number.txt"))
    (workspace / "root").symlink_to("/proc/self/root")


def huge_sparse_file(workspace: Path) -> None:
    write_run(workspace, "number")
    (workspace / "number").write_text("1.25")
    os.truncate(workspace / "number", 2**40)


def link_to_a_huge_sparse_file(workspace: Path) -> None:
    huge_sparse_file(workspace)
    (workspace / "number").rename(workspace / "huge")
    (workspace / "number").symlink_to("huge")


@pytest.mark.parametrize(
    "make",
    [link_outside, link_into_proc, huge_sparse_file, link_to_a_huge_sparse_file],
    ids=lambda make: make.__name__,
)
def test_links_that_leave_the_workspace_and_huge_files_are_refused(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    exported, graded, reward = both(tmp_path, make)
    assert reward == 0.0
    assert exported["execution.default"] == graded["execution.default"] == "unmet"


def test_many_links_and_large_copies_stay_within_the_limits(tmp_path: Path) -> None:
    def make(workspace: Path) -> None:
        write_run(workspace)
        (workspace / "many").mkdir()
        for number in range(20_000):
            (workspace / f"many/{number:05}").symlink_to("../large" if number % 2 else "../given")
        (workspace / "large").mkdir()
        (workspace / "large/file").write_bytes(b"x" * FILE_LIMIT)

    exported, graded, reward = both(tmp_path, make)
    assert reward == 1.0
    assert {item: graded[item] for item in exported} == exported
    shutil.rmtree(tmp_path / "workspace")
