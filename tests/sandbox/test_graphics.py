"""What a sandbox with GPUs is given, and what of /proc stays closed in it; true without a GPU too."""

from __future__ import annotations

import asyncio
import json

import pytest

from assay.sandbox import Box, Confinement, Outcome, examine, run_confined
from assay.sandbox.bubblewrap.layout import inner_arguments, variables_of
from assay.sandbox.host.system import base_python_of

PYTHON = str(base_python_of(None).program)
OPENED = """
import json, os
found = []
for root, folders, names in os.walk("/proc"):
    if root == "/proc":
        folders[:] = [name for name in folders if not name.isdigit() and name not in ("self", "thread-self")]
    for name in names:
        path = os.path.join(root, name)
        if not os.path.islink(path):
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                found.append(path)
            except OSError:
                pass
print(json.dumps(found))
"""
OWN = "open('/proc/self/comm', 'w').write('renamed'); print(open('/proc/self/comm').read().strip())"


def run(code: str, *, gpu: bool) -> Outcome:
    confinement = Confinement(gpu=gpu)
    return asyncio.run(run_confined(confinement, [PYTHON, "-I", "-S", "-c", code]))


def bound(confinement: Confinement) -> list[str]:
    arguments = inner_arguments(confinement, overlay=True)
    return [arguments[at + 1] for at, word in enumerate(arguments) if word == "--dev-bind-try"]


def test_a_sandbox_gets_the_files_of_its_own_gpus_and_of_no_other() -> None:
    files = bound(Confinement(gpu=True, gpus=(1, 3)))
    common = ["/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"]
    assert files == ["/dev/nvidia1", "/dev/nvidia3", *common]
    assert bound(Confinement(gpus=(1, 3))) == []
    assert bound(Confinement(gpu=True, gpus=())) == []


def test_cuda_counts_the_given_gpus_from_zero() -> None:
    assert variables_of(Confinement(gpu=True, gpus=(1, 3)))["CUDA_VISIBLE_DEVICES"] == "0,1"
    assert variables_of(Confinement(gpu=True, gpus=()))["CUDA_VISIBLE_DEVICES"] == ""
    assert "CUDA_VISIBLE_DEVICES" not in variables_of(Confinement())


@pytest.mark.parametrize("gpu", [True, False])
def test_nothing_of_proc_that_concerns_the_machine_can_be_opened_for_writing(gpu: bool) -> None:
    outcome = run(OPENED, gpu=gpu)
    assert json.loads(outcome.stdout) == [], outcome.stderr


def test_a_process_can_write_its_own_entries_only_beside_a_gpu() -> None:
    assert run(OWN, gpu=True).stdout == b"renamed\n"
    assert b"Read-only file system" in run(OWN, gpu=False).stderr


def test_a_box_with_a_gpu_runs_commands() -> None:
    async def go() -> Outcome:
        async with Box(Confinement(gpu=True, gpus=(0,))) as box:
            return await box.exec(["/bin/sh", "-c", "echo $CUDA_VISIBLE_DEVICES"])

    assert asyncio.run(go()).stdout == b"0\n"


def test_doctor_says_that_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_GPUS", "")
    check = next(check for check in examine() if check.name == "GPU")
    assert (check.state, check.detail) == ("ok", "none on this machine")


def test_doctor_says_why_cuda_does_not_begin_in_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_GPUS", "77")
    check = next(check for check in examine() if check.name == "GPU")
    assert check.state == "degraded"
    assert check.detail.startswith("CUDA fails in a sandbox: ")
    assert "GPU 77" in check.meaning
