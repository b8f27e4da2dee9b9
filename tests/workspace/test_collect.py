"""A submission is taken out whatever the agent left in the way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from inspect_ai.util import SandboxEnvironment

from assay.sandbox.provider import BwrapConfig, BwrapSandboxEnvironment
from assay.workspace import Submission, collect

GIVEN = {"kept.py": b"kept\n", "changed.py": b"old\n", "gone.py": b"gone\n"}


def submission_after(workspace: Path, script: str) -> Submission:
    """What is collected after a script was run in a sandbox over a workspace."""
    for path, data in GIVEN.items():
        (workspace / path).write_bytes(data)

    async def attempt() -> Submission:
        config = BwrapConfig(workspace=workspace, disk_mb=160)
        boxes: dict[str, SandboxEnvironment] = await BwrapSandboxEnvironment.sample_init("t", config, {})
        try:
            await boxes["default"].exec(["bash", "-c", script], cwd="/workspace")
            return await collect(boxes["default"], GIVEN)
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
