"""A submission is taken out whatever the agent left in the way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from inspect_ai.util import SandboxEnvironment

from assay.rules.handed_in import COUNT_LIMIT
from assay.sandbox.session.inspect_provider import BwrapConfig, BwrapSandboxEnvironment
from assay.tasks.files import write_tree
from assay.workspace import Submission, collect
from assay.workspace.collect import LISTING, MARKED
from assay.workspace.fetching import read_page
from assay.workspace.listing import marked_paths

GIVEN = {"kept.py": b"kept\n", "changed.py": b"old\n", "gone.py": b"gone\n"}


def submission_after(
    workspace: Path,
    script: str,
    *,
    given: dict[str, bytes] = GIVEN,
    first: tuple[str, ...] = (),
    shown: tuple[str, ...] = (),
) -> Submission:
    """What is collected after a script was run in a sandbox over a workspace."""
    write_tree(given, workspace)

    async def attempt() -> Submission:
        config = BwrapConfig(workspace=workspace, disk_mb=160, watch=False)
        boxes: dict[str, SandboxEnvironment] = await BwrapSandboxEnvironment.sample_init("t", config, {})
        try:
            await boxes["default"].exec(["bash", "-c", script], cwd="/workspace", timeout=300)
            return await collect(boxes["default"], given, requested=first, mounted=shown)
        finally:
            await BwrapSandboxEnvironment.sample_cleanup("t", config, boxes, False)

    return asyncio.run(attempt())


def test_changes_and_deletions_and_nothing_else(tmp_path: Path) -> None:
    taken = submission_after(
        tmp_path,
        "echo new > changed.py; rm gone.py; mkdir -p a/b __pycache__; echo x > a/b/c; touch __pycache__/d",
    )
    assert taken.files == {"changed.py": b"new\n", "a/b/c": b"x\n"}
    assert taken.deleted == ("gone.py",)
    assert taken.refused == {}


@pytest.mark.parametrize(
    "trouble",
    [
        "head -c 100000000 /dev/zero > /tmp/full; head -c 100000000 /dev/zero > /var/tmp/full",
        "head -c 200000000 /dev/zero > huge.bin",
        "head -c 200000000 /dev/zero > .git-big; mkdir -p .git; mv .git-big .git/big",
        "chmod 000 changed.py . ; chmod 000 /tmp",
        "mkdir -p /tmp/.submission.tar/x",
        "setsid bash -c 'while :; do echo late > late.tmp; mv late.tmp changed.py; done' >/dev/null 2>&1 &",
    ],
    ids=["full-disk", "huge-file", "full-git", "unreadable", "in-the-way", "daemon"],
)
def test_trouble_changes_nothing_of_what_was_handed_in(trouble: str, tmp_path: Path) -> None:
    taken = submission_after(tmp_path, f"echo new > changed.py; {trouble}")
    assert set(taken.files) - {"huge.bin", "late.tmp"} == {"changed.py"}
    assert taken.files["changed.py"] in (b"new\n", b"late\n")
    assert taken.deleted == ()


def test_links_devices_and_odd_names_are_refused_with_a_reason(tmp_path: Path) -> None:
    taken = submission_after(
        tmp_path, "ln -s /etc/passwd link; mkfifo pipe; touch $'bad\\xff' $'line\\nbreak'"
    )
    assert taken.files == {}
    assert taken.refused["link"] == "is a link to /etc/passwd"
    assert "no plain file" in taken.refused["pipe"]
    assert sum("not a plain path" in why for why in taken.refused.values()) == 2


def test_a_file_over_the_limits_is_refused_with_its_size_and_the_rest_is_taken(tmp_path: Path) -> None:
    taken = submission_after(
        tmp_path, "head -c 20000000 /dev/urandom > weights.bin; head -c 9 /dev/zero > w.npy"
    )
    assert taken.files == {"w.npy": bytes(9)}
    assert "20,000,000 bytes are over the limits" in taken.refused["weights.bin"]


def test_no_credential_is_taken_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "harness-secret-0123456789")
    key = "ghp_" + "a1B2" * 9
    taken = submission_after(
        tmp_path,
        f"echo 'token = \"{key}\"' > changed.py; echo harness-secret-0123456789 > notes; ln -s notes also",
    )
    assert {path: len(data) for path, data in taken.files.items()} == {
        "changed.py": 51,
        "notes": 26,
        "also": 26,
    }
    assert key.encode() not in taken.archive
    assert b"harness-secret" not in taken.archive
    assert set(taken.redacted) == {"changed.py", "notes", "also"}
    assert "a GitHub token" in taken.redacted["changed.py"]
    assert taken.refused == {}


def test_compiled_programs_stay_executable_and_empty_folders_stay(tmp_path: Path) -> None:
    taken = submission_after(
        tmp_path,
        "cp /bin/true helper; chmod +x helper kept.py; printf '#!/bin/sh\\n' > script; chmod +x script;"
        "mkdir -p logs/run __pycache__ used/deep; touch used/file; chmod 600 changed.py",
    )
    assert set(taken.files) == {"helper", "script", "used/file"}
    assert taken.executable == ("helper", "kept.py")
    assert taken.folders == ("logs/run", "used/deep")


DEEP = """import os
for _ in range(20_000):
    os.mkdir("d")
    os.chdir("d")
open("f.py", "w").close()
"""


def test_folders_nested_deeper_than_any_path_that_counts_are_not_listed(tmp_path: Path) -> None:
    taken = submission_after(tmp_path, f"echo new > changed.py; python3 -c '{DEEP}'")
    assert taken.files == {"changed.py": b"new\n"}
    assert taken.folders == ("/".join(["d"] * 500),)
    assert list(taken.refused.values()) == ["its name is not a plain path"]


def test_links_to_what_is_given_stay_links_and_others_are_told(tmp_path: Path) -> None:
    taken = submission_after(
        tmp_path,
        "ln -s /inputs/texts data; ln -s /dev/null log; ln -s /usr/bin/python3 py; ln -s /mine/x x;"
        "ln -s /tests/results.json gold; ln -s /tmp/scratch scratch; ln -s /inputs/../tests t;"
        "ln -s kept.py k",
        shown=("/mine",),
    )
    assert taken.files == {"k": GIVEN["kept.py"]}
    assert taken.links == {
        "data": "/inputs/texts",
        "log": "/dev/null",
        "py": "/usr/bin/python3",
        "x": "/mine/x",
    }
    assert set(taken.refused) == {"gold", "scratch", "t"}


def test_environments_are_passed_over_wherever_they_stand(tmp_path: Path) -> None:
    packages = "lib/python3.11/site-packages"
    taken = submission_after(
        tmp_path,
        f"mkdir -p {packages}/pip bin conda/{packages} inner/bin; touch pyvenv.cfg {packages}/pip/a.py;"
        f"touch bin/pip bin/mine lib/own.py conda/{packages}/b.py;"
        "ln -s /usr/bin/python3 bin/python; ln -s lib lib64;"
        "touch inner/pyvenv.cfg inner/bin/x; mkdir -p vendor/thing-1.dist-info; touch vendor/thing.py",
    )
    assert set(taken.files) == {"bin/mine", "lib/own.py", "vendor/thing.py"}
    assert taken.refused == {}


def test_given_files_use_up_nothing_of_the_limits(tmp_path: Path) -> None:
    given = {f"repo/part{number % 70}/file{number}.py": b"x" for number in range(COUNT_LIMIT + 500)}
    given |= {f"data/{number}.bin": bytes([number]) * (15 << 20) for number in range(5)}
    taken = submission_after(
        tmp_path,
        "echo '{}' > design.json; echo y > repo/part0/file0.py; rm repo/part1/file1.py;"
        "printf z | dd of=data/3.bin conv=notrunc status=none",
        given=given,
        first=("design.json",),
    )
    assert taken.files.keys() == {"design.json", "repo/part0/file0.py", "data/3.bin"}
    assert taken.deleted == ("repo/part1/file1.py",)
    assert taken.refused == {}


@pytest.mark.parametrize("count", [6_000, pytest.param(140_000, marks=pytest.mark.long)])
def test_however_many_files_there_are_what_is_asked_for_is_taken(count: int, tmp_path: Path) -> None:
    taken = submission_after(
        tmp_path,
        "mkdir -p a/cache deep/er; cd a/cache; seq -f 'feature_vector_of_sample_number_%08.0f.txt' "
        f"{count} | xargs touch; echo 1 > ../../deep/er/answer.json; echo 2 > ../../own.py",
        first=("deep/er/answer.json",),
    )
    assert len(taken.files) == COUNT_LIMIT
    assert taken.files["deep/er/answer.json"] == b"1\n"
    assert taken.files["own.py"] == b"2\n"
    assert taken.deleted == ()
    assert len(taken.refused) <= 1_001
    assert "over the limits" in next(iter(taken.refused.values()))


@pytest.mark.long
def test_a_list_that_is_too_long_is_cut_and_answers_are_taken_all_the_same(tmp_path: Path) -> None:
    name = "x" * 240
    taken = submission_after(
        tmp_path,
        f"mkdir -p {name}/{name}; cd {name}/{name}; seq -f '{name}%06.0f' 75000 | xargs touch;"
        "echo 1 > ../../zz.json; echo new > ../../changed.py; rm ../../gone.py",
        first=("zz.json", "absent.json"),
    )
    assert taken.files["zz.json"] == b"1\n"
    assert taken.files["changed.py"] == b"new\n"
    assert taken.deleted == ("gone.py",)
    assert "the list of files ends after" in taken.refused["…"]


def test_one_page_names_the_same_markers_as_the_sandbox(tmp_path: Path) -> None:
    script = (
        "mkdir -p env/lib/python3.11/site-packages libs/x.dist-info conda-meta/a .git/y.dist-info;"
        " touch env/pyvenv.cfg .git/pyvenv.cfg 'pyvenv.cfg.txt' site-packages;"
        " mkdir -p d/pyvenv.cfg $'d/\\n.dist-info'"
    )

    async def attempt() -> tuple[list[bytes], list[bytes]]:
        config = BwrapConfig(workspace=tmp_path, watch=False)
        boxes: dict[str, SandboxEnvironment] = await BwrapSandboxEnvironment.sample_init("t", config, {})
        try:
            await boxes["default"].exec(["bash", "-c", script], cwd="/workspace", timeout=300)
            in_sandbox = await read_page(boxes["default"], MARKED, 0)
            page = await read_page(boxes["default"], LISTING, 0)
            return in_sandbox.split(b"\0")[:-1], marked_paths(page)
        finally:
            await BwrapSandboxEnvironment.sample_cleanup("t", config, boxes, False)

    in_sandbox, in_page = asyncio.run(attempt())
    assert sorted(in_page) == sorted(in_sandbox)
    assert len(in_page) == 5
