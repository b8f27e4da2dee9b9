"""What an ended sandbox left in its workspace is found again in a fresh one."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.sandbox import Box, Confinement, SandboxLimits
from assay.sandbox.session.left_workspace import MAX_FILE_BYTES, control_sandbox_works, restored_box

pytestmark = pytest.mark.anyio

CHANGES = """
echo changed > changed
rm gone
rm -r folder-gone
rm -r now-a-file; echo file > now-a-file
rm now-a-folder; mkdir now-a-folder; echo inside > now-a-folder/inside
mkdir -p deep/er empty; echo made > deep/er/made
ln -s /etc/passwd outward; ln -s changed inward; ln -sfn folder-kept folder-link
echo closed > closed; chmod 000 closed; mkdir shut; echo in > shut/in; chmod 000 shut
printf '#!/bin/sh\\n' > tool; chmod 755 tool
printf 'odd\\n' > "$(printf 'odd\\377\\nname')"
truncate -s 400M sparse
mkfifo pipe
"""
LOOK = """
cat changed now-a-file now-a-folder/inside deep/er/made kept folder-kept/kept closed shut/in
readlink outward inward folder-link
[ -x tool ] && echo runs
[ -d empty ] && echo empty
ls gone folder-gone 2>/dev/null
cat odd*
stat -c %s sparse
"""
SEEN = [
    *("changed", "file", "inside", "made", "kept", "kept", "closed", "in"),
    *("/etc/passwd", "changed", "folder-kept", "runs", "empty", "odd", "419430400"),
]


def given(folder: Path) -> Path:
    """A workspace with one of everything that can change."""
    for place in ("folder-gone", "folder-kept", "now-a-file"):
        (folder / place).mkdir(parents=True)
        (folder / place / "kept").write_text("kept\n")
    for name in ("changed", "gone", "kept", "now-a-folder"):
        (folder / name).write_text(f"{name}\n")
    (folder / "folder-link").symlink_to("nowhere")
    return folder


async def test_a_workspace_is_as_it_was_left(tmp_path: Path) -> None:
    async with Box(Confinement(workspace=given(tmp_path))) as box:
        made = await box.exec(["sh", "-ec", CHANGES])
        assert made.returncode == 0, made.stderr
        assert not box.has_left_workspace
        async with restored_box(box) as fresh:
            assert box.has_left_workspace
            await fresh.exec(["chmod", "-R", "u+rwX", "."])
            outcome = await fresh.exec(["sh", "-c", LOOK])
            assert outcome.stdout.decode().split() == SEEN, outcome.stderr
    assert (tmp_path / "gone").read_text() == "gone\n"


async def test_an_empty_workspace_is_revived_too() -> None:
    async with Box(Confinement()) as box:
        await box.write_file("made", b"made")
        await box.end()
        assert await box.ended()
        async with restored_box(box) as fresh:
            assert await fresh.read_file("made") == b"made"


async def test_large_files_cost_nothing_and_keep_their_size() -> None:
    limits = SandboxLimits(disk_mb=64, file_size_mb=512)
    async with Box(Confinement(limits=limits)) as box:
        script = (
            f"for each in $(seq 40); do truncate -s {MAX_FILE_BYTES + 1} large$each; done; echo small > small"
        )
        await box.exec(["sh", "-c", script])
        async with restored_box(box) as fresh:
            listed = await fresh.exec(["sh", "-c", "stat -c %s large* | sort -u; ls | wc -l; cat small"])
            assert listed.stdout.split() == [str(MAX_FILE_BYTES + 1).encode(), b"41", b"small"]


async def test_a_control_answers_where_sandboxes_can_be_made() -> None:
    async with Box(Confinement()) as box:
        await box.end()
        assert await control_sandbox_works(box)


async def test_ending_leaves_no_descriptor() -> None:
    async with Box(Confinement()):
        pass
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        async with Box(Confinement()) as box:
            await box.exec(["sh", "-c", "echo x > made; sleep 60 & true"])
            async with restored_box(box):
                pass
    assert len(list(Path("/proc/self/fd").iterdir())) == before
